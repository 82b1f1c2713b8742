"""Names that the redesign changed in recorded values: applied to the stored values, never back."""

from typing import Any

# Python class names become titles of schemas in OpenAPI and in MCP tool definitions.
SCHEMAS = {
    "Asking": "Generation",
    "Change": "OptionChange",
    "Differing": "Difference",
    "Difference": "ReplayDifference",
    "Evidence": "EdgeEvidence",
    "Flag": "CitationFlag",
    "IngestionRequest": "IngestJobRequest",
    "PlaceCount": "ReferenceCount",
    "Problem": "SourceProblem",
    "Pruned": "PruneResult",
    "Readable": "ReadableCounts",
    "Shown": "IncludedItem",
    "Source": "CitedSource",
    "Stand": "StepOutcome",
    "Standing": "CandidateScores",
    "TakenIn": "IngestJobResult",
    "Unresolved": "UnresolvedReference",
    "Why": "Reasons",
    "WhyNot": "Explanation",
    "Wrong": "FieldError",
}
AREAS = frozenset({"openapi", "mcp_tools"})


def rename(area: str, value: Any) -> Any:
    """The stored value of an area, in today's names."""
    return _rename_schemas(value) if area in AREAS else value


def _rename_schemas(value: Any) -> Any:
    if isinstance(value, list):
        return [_rename_schemas(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _rename_entry(key, item) for key, item in value.items()}
    if "properties" in value and "title" in value:
        renamed["title"] = SCHEMAS.get(value["title"], value["title"])
    return renamed


def _rename_entry(key: str, item: Any) -> Any:
    if key == "$ref":
        path, _, name = item.rpartition("/")
        return f"{path}/{SCHEMAS.get(name, name)}"
    if key in {"schemas", "$defs"}:
        return {SCHEMAS.get(name, name): _rename_schemas(one) for name, one in item.items()}
    return _rename_schemas(item)
