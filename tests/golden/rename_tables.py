"""Names of values of the formats /1, and what they are called since; `renames` applies them."""

from collections.abc import Mapping

Names = Mapping[str, str]

# Objects, and schemas of objects: the keys that tell which object it is, and its new names.
OBJECTS: tuple[tuple[frozenset[str], Names], ...] = tuple(
    (frozenset(keys.split()), names)
    for keys, names in (
        ("via sender", {"sender": "from"}),
        (
            "seed_places max_depth",
            {
                "max_depth": "max_relationship_depth",
                "documents": "max_documents",
                "seed_places": "max_seed_documents",
            },
        ),
        ("standing", {"standing": "candidates"}),
        ("scores passages", {"middle": "baseline", "passages": "by_chunk"}),
        ("concept passages", {"passages": "chunks"}),
        ("asking", {"asking": "generation"}),
        ("prompt_digest window", {"window": "context_window"}),
        ("document node heading_path", {"document": "document_id"}),
        ("number document citation", {"document": "document_id"}),
        ("citation document path", {"document": "document_id"}),
        ("place because", {"place": "position", "document": "document_id"}),
        ("place changed", {"place": "position"}),
        ("origins places", {"places": "positions"}),
        ("told by_hand", {"told": "statements", "by_hand": "manual"}),
        ("line says", {"says": "text"}),
        ("met unmet", {"met": "resolved", "unmet": "unresolved"}),
        ("places opaque", {"places": "references", "opaque": "unresolved_calls"}),
        ("found opaque_calls", {"found": "by_origin", "opaque_calls": "unresolved_calls"}),
        (
            "same_page",
            {"asked": "settings", "same_page": "same_context", "tokens_in_all": "total_tokens"},
        ),
        ("inside words", {"inside": "included", "words": "explanation"}),
        ("stage words", {"words": "explanation", "remedy": "suggestion", "shown": "items"}),
        ("asker rights", {"asker": "principal"}),
        ("asker groups", {"asker": "principal"}),
        ("closed_to_asker", {"closed_to_asker": "closed_to_requester"}),
        ("outcome by", {"by": "authenticated_by"}),
        ("person note expires", {"person": "principal"}),
    )
)
# The evidence of one node: its document is no longer part of the concept.
EVIDENCE = frozenset({"concept", "passages"})
# What a step reads and makes.
ARTIFACTS: Names = {
    "Question": "question",
    "Seeds": "retrieval_seed_nodes",
    "RetrievalPlan": "graph_expanded_nodes",
    "RetrievedContext": "node_texts",
    "Context": "context",
    "Answer": "answer",
}
# Options of actions, alone and behind the action's name, and their values.
OPTIONS: Names = {
    "documents": "max_documents",
    "seed_places": "max_seed_documents",
    "in_all": "max_chunks",
    "expand_relationships.documents": "expand_relationships.max_documents",
    "expand_relationships.seed_places": "expand_relationships.max_seed_documents",
    "plan_seeds.documents": "plan_seeds.max_documents",
    "fetch_evidence.in_all": "fetch_evidence.max_chunks",
}
VALUES: Names = {
    "passages": "chunks",
    "lifted": "propagated",
    "contested": "competitive",
    "scored": "relation_weighted",
}
# Numbers of an explanation.
NAMES: Names = {
    "passages": "chunks",
    "place": "position",
    "room": "limit",
    "roads": "untaken_edges",
    "short": "shortfall",
}
# Texts that are names, by the key that they are found under.
BELOW: Mapping[str, Names] = {
    "option": OPTIONS,
    "name": {**OPTIONS, "asker": "principal"},
    "origin": {"hand": "manual", "given": "imported"},
    "origins": {"hand": "manual", "given": "imported"},
    "checked": {"names": "definitions", "claims": "references"},
    "outcome": {"answered": "succeeded", "begun": "started"},
    "stage": {"there": "included"},
    "enum": {"there": "included"},
    "kind": {"NotAllowed": "NotAuthorized"},
    "format": {"docgraph.plan/1": "docgraph.plan/2", "docgraph.receipt/1": "docgraph.receipt/2"},
    **dict.fromkeys(("over", "admit", "left", "right", *OPTIONS), VALUES),
}
# Sentences of `--help`.
HELP: tuple[tuple[str, str], ...] = (
    ("Decide which documents may speak.", "Select the documents that may be read."),
    ("Draws the decision as a tree", "Draws the plan as a tree"),
    (
        "Goes with it through every step: where it fell out",
        "Follows it through every step: where it was left out",
    ),
    (
        "`given` or `hand`; beside it stand the lines that show the relation.",
        "`imported` or `manual`; the lines that show the relation follow it.",
    ),
    (
        "`contains` is listed where --type asks for it.",
        "`contains` is listed only with --type contains.",
    ),
    (
        "path <path> A folder, a single file, or a git repository.",
        "path <str> A folder, a single file, a git repository, or an address that a plug-in reads.",
    ),
)
# Parts of sentences.
TEXTS: tuple[tuple[str, str], ...] = (
    (r"\bdocuments=(\d)", r"max_documents=\1"),
    (r"\bno passage of it\b", "no chunk of it"),
    (r"\bthe page took (\d)", r"the text takes \1"),
    (r"\blets it in\b", "includes it"),
    (r"\bplace (\d+) of\b", r"position \1 of"),
    (r"\bit stands at place\b", "its position is"),
    (r"\bthere as \[", "included as ["),
    (r"\bread another Question\b", "read another question"),
    (r"\bPipelineText\b", "PipelineYaml"),
    (r"\bWrittenPipeline\b", "PipelineJson"),
    (r'"document":', '"document_id":'),
    (r'"asking":', '"generation":'),
    (r'"window":', '"context_window":'),
    (
        r"not a receipt: question: Field required",
        "not a receipt: format: Input should be 'docgraph.receipt/2'",
    ),
)
# Lists that are sorted by name; documents of a context are now in the plan's order.
SORTED = frozenset({"origins", "by_origin", "required", "documents"})
# Documentation; the golden tests compare it.
PROSE = frozenset({"description"})
# Schemas of a context, whose chunks are now grouped by document.
CHANGED_SCHEMAS = frozenset({"Context", "ContextItem", "DocumentShare", "ContextDocument"})

# Titles of schemas are names of classes, which changed before the fields did.
SCHEMAS: Names = {
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
SCHEMAS_OF_TOOLS: Names = {
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
