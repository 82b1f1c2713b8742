"""docgraph ask: an answer that cites."""

import typer

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


def ask(
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
    """Answer a question, with citations.

    The configured model reads the context and nothing else; every sentence is checked. Without a
    model the context is the answer.
    """
    from docgraph.doors.cli.show_answer import Voice, show_answer

    engine, reader = engine_for(store, question=question), asker(store, as_)
    voice = Voice()
    try:
        found = engine.ask(
            reader,
            question,
            budgeted(pipeline_named(pipeline), max_tokens),
            seeds=seed or (),
            wanted=wanted(repository, branch, snapshot),
            heard=(lambda _: None) if json else voice,
        )
    finally:
        voice.end()
    keep_receipt(receipt, found, reader, seed)
    if json:
        print_json(
            {
                "answer": found.answer,
                "digest": found.answer.digest,
                "context_digest": found.context.digest,
                "plan_digest": found.plan.digest,
                "scope": found.scope.snapshots,
            }
        )
    else:
        show_answer(found.answer)
    if found.answer.kind == "refused":
        raise typer.Exit(1)
