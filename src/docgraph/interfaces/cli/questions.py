"""docgraph ask: an answer that cites."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.interfaces.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    MaxTokensOption,
    OptionalQuestion,
    PipelineOption,
    QuestionArgument,
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
    from docgraph.interfaces.cli.render_retrieval import StreamPrinter, show_answer

    engine, reader = engine_for(store, question=question), asker(store, as_)
    voice = StreamPrinter()
    try:
        found = engine.questions.ask(
            reader,
            question,
            budgeted(pipeline_named(pipeline), max_tokens),
            seeds=seed or (),
            wanted=wanted(repository, branch, snapshot),
            on_text=(lambda _: None) if json else voice,
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


# docgraph context: what a language model would get to read.


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
    from docgraph.interfaces.cli.render_context import show_context

    engine, reader = engine_for(store, question=question), asker(store, as_)
    found = engine.questions.retrieve(
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


# docgraph search: the seeds of a question.


def search(
    question: QuestionArgument,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Find seeds: ids and scores, never text."""
    from docgraph.interfaces.cli.render_retrieval import show_seeds
    from docgraph.model.seeds import Seeds

    found = engine_for(store, question=question).questions.retrieve(
        asker(store, as_),
        question,
        pipeline_named(pipeline).up_to(Seeds),
        wanted=wanted(repository, branch, snapshot),
    )
    if json:
        print_json({"seeds": found.seeds, "scope": found.scope.snapshots})
    else:
        show_seeds(found.seeds)


# docgraph plan: which documents may speak, and why.


def plan(
    question: OptionalQuestion = "",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the plan to this file, for `docgraph run`.")
    ] = None,
    seed: SeedOption = None,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    receipt: ReceiptOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Decide which documents may speak.

    Draws the decision as a tree: seeds, and below each what its relations let in. Reads no text.
    """
    from docgraph.interfaces.cli.render_retrieval import show_plan
    from docgraph.model.errors import BadInput
    from docgraph.model.plan import RetrievalPlan

    engine, reader = engine_for(store, question=question), asker(store, as_)
    found = engine.questions.retrieve(
        reader,
        question,
        pipeline_named(pipeline).up_to(RetrievalPlan),
        seeds=seed or (),
        wanted=wanted(repository, branch, snapshot),
    )
    keep_receipt(receipt, found, reader, seed)
    saved = found.saved()
    if save is not None:
        try:
            save.write_text(saved.to_json(), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{save}: cannot be written: {error.strerror}") from error
    if json:
        typer.echo(saved.to_json(), nl=False)
    else:
        show_plan(saved)
        if save is not None:
            typer.echo(f"saved to {save}; execute it with: docgraph run {save}")


# docgraph run: execute a saved plan.


def run(
    plan: Annotated[Path, typer.Argument(help="A plan saved by `docgraph plan --save`.")],
    pipeline: Annotated[
        str | None,
        typer.Option(
            "--pipeline",
            "-p",
            help="Execute with this pipeline, not the plan's own.",
            show_default=False,
        ),
    ] = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Execute a saved plan.

    Reads text of planned documents alone, on the plan's snapshots, with the rights you have now.
    """
    from docgraph.interfaces.cli.render_context import show_context
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.load import shipped
    from docgraph.pipeline.retrieval import plan_from_json

    try:
        saved = plan_from_json(plan.read_bytes())
    except OSError as error:
        raise BadInput(f"{plan}: cannot be read: {error.strerror}") from error
    if pipeline is None and saved.pipeline not in shipped():
        raise BadInput(
            f"this plan was made with a pipeline called {saved.pipeline!r}, which is not shipped; "
            "name its file with --pipeline"
        )
    found = engine_for(store).questions.execute(
        asker(store, as_), saved, pipeline_named(pipeline or saved.pipeline)
    )
    if json:
        print_json({"context": found.context, "digest": found.context.digest})
        return
    if saved.edited:
        typer.echo("note: this plan was edited after it was saved", err=True)
    show_context(found.context)
