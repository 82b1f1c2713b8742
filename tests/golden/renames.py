"""Names that the redesign changed in recorded values: applied to the stored values, never back."""

from collections.abc import Mapping
from typing import Any

# Python class names become titles of schemas in OpenAPI and in MCP tool definitions.
SCHEMAS = {
    "AskedAnswer": "AskBody",
    "AskedPlan": "PlanBody",
    "AskedRetrieval": "RetrieveBody",
    "AskedSearch": "SearchBody",
    "AskedWhy": "ExplainBody",
    "Asking": "Generation",
    "Change": "OptionChange",
    "CheckedReceipt": "ReceiptCheckResponse",
    "Differing": "Difference",
    "Difference": "ReplayDifference",
    "Evidence": "EdgeEvidence",
    "ExecutedPlan": "ExecutePlanResponse",
    "Explained": "ExplainResponse",
    "ExplainedItem": "ExplainResponseItem",
    "Flag": "CitationFlag",
    "FoundAnswer": "AnswerResponse",
    "FoundContext": "RetrieveResponse",
    "FoundPlan": "PlanResponse",
    "FoundSeeds": "SearchResponse",
    "Health": "HealthResponse",
    "IngestionStatus": "IngestionResponse",
    "IngestionRequest": "IngestJobRequest",
    "ListedIngestions": "IngestionsResponse",
    "ListedRelations": "RelationsResponse",
    "ListedSnapshots": "SnapshotsResponse",
    "NewIngestion": "IngestionBody",
    "NewRelation": "AddRelationBody",
    "NewSnapshot": "SnapshotResponse",
    "PipelineText": "PipelineYaml",
    "PlaceCount": "ReferenceCount",
    "PlanToExecute": "ExecutePlanBody",
    "Problem": "SourceProblem",
    "Pruned": "PruneResult",
    "Readable": "ReadableCounts",
    "ReceiptToReplay": "ReplayBody",
    "ReplayedReceipt": "ReplayResponse",
    "Shown": "IncludedItem",
    "Source": "CitedSource",
    "Stand": "StepOutcome",
    "Standing": "CandidateScores",
    "TakenIn": "IngestJobResult",
    "Unresolved": "UnresolvedReference",
    "Why": "Reasons",
    "WhyNot": "Explanation",
    "WrittenPipeline": "PipelineJson",
    "Wrong": "FieldError",
}
# Of two old names that were equal, one in each area, the new names differ.
TOOLS = {
    "Admitted": "AdmittedNode",
    "Asked": "PlanArguments",
    "ContextGiven": "ContextResult",
    "Explained": "ExplainResult",
    "Fetched": "FetchResult",
    "ItemExplained": "ItemExplanation",
    "Place": "EvidencePosition",
    "Planned": "PlanResult",
    "RelationFound": "RelationResult",
    "RelationsFound": "RelationsResult",
}
AREAS = {"openapi": SCHEMAS, "mcp_tools": {**SCHEMAS, **TOOLS}}
# A body's class stands in the position of an error of one of several classes.
POSITIONS = ("PipelineText", "WrittenPipeline")


def rename(area: str, value: Any) -> Any:
    """The stored value of an area, in today's names."""
    if area == "http":
        return _rename_positions(value)
    return _rename_schemas(value, AREAS[area]) if area in AREAS else value


def _rename_schemas(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_rename_schemas(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _rename_entry(key, item, names) for key, item in value.items()}
    if "properties" in value and "title" in value:
        renamed["title"] = names.get(value["title"], value["title"])
    return renamed


def _rename_entry(key: str, item: Any, names: Mapping[str, str]) -> Any:
    if key == "$ref":
        path, _, name = item.rpartition("/")
        return f"{path}/{names.get(name, name)}"
    if key in {"schemas", "$defs"}:
        return {names.get(name, name): _rename_schemas(one, names) for name, one in item.items()}
    return _rename_schemas(item, names)


def _rename_positions(value: Any) -> Any:
    if isinstance(value, list):
        return [_rename_positions(item) for item in value]
    if isinstance(value, dict):
        return {key: _rename_positions(item) for key, item in value.items()}
    if isinstance(value, str):
        for name in POSITIONS:
            value = value.replace(f".{name}", f".{SCHEMAS[name]}")
    return value
