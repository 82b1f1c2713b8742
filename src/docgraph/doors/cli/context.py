"""docgraph context: what a language model would get to read."""

from docgraph.doors.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    MaxTokensOption,
    OptionalQuestion,
    PipelineOption,
    ReceiptOption,
    RepositoryOption,
    SeedOption,
    SnapshotOption,
    StoreOption,
    asker,
    budgeted,
    engine_for,
    keep_receipt,
    pipeline_named,
    print_json,
    wanted,
)


def context(
    question: OptionalQuestion = "",
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    receipt: ReceiptOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Give the context of a question.

    Searches, plans, fetches and assembles: what a language model would get to read, within its
    token budget.
    """
    from docgraph.doors.cli.show_context import show_context

    engine, reader = engine_for(store, question=question), asker(store, as_)
    found = engine.retrieve(
        reader,
        question,
        budgeted(pipeline_named(pipeline), max_tokens),
        seeds=seed or (),
        wanted=wanted(repository, branch, snapshot),
    )
    keep_receipt(receipt, found, reader, seed)
    if json:
        print_json(
            {
                "context": found.context,
                "digest": found.context.digest,
                "plan_digest": found.plan.digest,
                "scope": found.scope.snapshots,
            }
        )
    else:
        show_context(found.context)
