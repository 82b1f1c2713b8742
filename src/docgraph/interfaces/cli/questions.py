"""docgraph ask, context, search, plan, run: questions and saved plans."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.interfaces.cli.options import (
    CommonOptions,
    OptionalQuestion,
    PipelineOptions,
    QuestionArgument,
    ReceiptOption,
    RequestOptions,
    SeedOption,
    build_request,
    expand_options,
    load_pipeline,
    note_running_ingest,
    source_states,
    write_receipt,
)
from docgraph.interfaces.cli.output import echo, print_json, print_json_text


@expand_options
def ask(
    *,
    asked: RequestOptions,
    pipeline: PipelineOptions,
    receipt: ReceiptOption = None,
    common: CommonOptions,
) -> None:
    """Answer a question, with citations.

    The configured model reads the context and nothing else; every sentence is checked. Without a
    model the context is the answer.
    """
    from docgraph.interfaces.cli.render_answer import StreamPrinter, show_answer

    engine, printer = common.engine(asked.question), StreamPrinter()
    request = build_request(common, pipeline, asked)
    try:
        result = engine.questions.ask(request, on_text=(lambda _: None) if common.json else printer)
    finally:
        printer.end()
    note_running_ingest(common, engine)
    states = source_states(common, engine, result)
    write_receipt(receipt, result)
    if common.json:
        print_json(
            {
                "answer": result.answer,
                "digest": result.answer.digest,
                "context_digest": result.context.digest,
                "plan_digest": result.plan.digest,
                "scope": result.scope.snapshots,
                "embeddings": result.embeddings,
                "source_states": states,
            }
        )
    else:
        show_answer(result.answer)
    if result.answer.kind == "refused":
        raise typer.Exit(1)


@expand_options
def context(
    *,
    asked: RequestOptions,
    pipeline: PipelineOptions,
    receipt: ReceiptOption = None,
    common: CommonOptions,
) -> None:
    """Give the context of a question.

    Searches, plans, fetches and assembles: what a language model would get to read, within its
    token budget.
    """
    from docgraph.interfaces.cli.render_context import show_context

    engine = common.engine(asked.question)
    result = engine.questions.retrieve(build_request(common, pipeline, asked))
    note_running_ingest(common, engine)
    states = source_states(common, engine, result)
    write_receipt(receipt, result)
    if common.json:
        print_json(
            {
                "context": result.context,
                "digest": result.context.digest,
                "plan_digest": result.plan.digest,
                "scope": result.scope.snapshots,
                "embeddings": result.embeddings,
                "source_states": states,
            }
        )
    else:
        show_context(result.context)


@expand_options
def search(question: QuestionArgument, *, pipeline: PipelineOptions, common: CommonOptions) -> None:
    """Find seeds: ids and scores, never text."""
    from docgraph.interfaces.cli.render_answer import show_seeds
    from docgraph.model.seeds import Seeds

    request = build_request(common, pipeline, RequestOptions(question))
    lexical = request.pipeline.up_to(Seeds).reads_no_vector
    engine = common.engine(None if lexical else question)
    result = engine.questions.search(request)
    note_running_ingest(common, engine)
    states = source_states(common, engine, result)
    if common.json:
        found = {"seeds": result.seeds, "scope": result.scope.snapshots}
        print_json({**found, "embeddings": result.embeddings, "source_states": states})
    else:
        show_seeds(result.seeds)


@expand_options
def plan(
    question: OptionalQuestion = "",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the plan to this file, for `docgraph run`.")
    ] = None,
    seed: SeedOption = None,
    *,
    pipeline: PipelineOptions,
    receipt: ReceiptOption = None,
    common: CommonOptions,
) -> None:
    """Select the documents that may be read.

    Draws the plan as a tree: seeds, and below each what its relations admit. Reads no text.
    """
    from docgraph.interfaces.cli.render_retrieval import show_plan
    from docgraph.model.errors import BadInput

    engine = common.engine(question)
    request = build_request(common, pipeline, RequestOptions(question, seed))
    result = engine.questions.plan(request)
    note_running_ingest(common, engine)
    source_states(common, engine, result)
    write_receipt(receipt, result)
    saved = result.to_saved_plan()
    if save is not None:
        try:
            save.write_text(saved.to_json(), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{save}: cannot be written: {error.strerror}") from error
    if common.json:
        print_json_text(saved.to_json())
    else:
        show_plan(saved)
        if save is not None:
            echo(f"saved to {save}; execute it with: docgraph run {save}")


@expand_options
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
    *,
    common: CommonOptions,
) -> None:
    """Execute a saved plan.

    Reads text of planned documents alone, on the plan's snapshots, with the rights you have now.
    """
    from docgraph.interfaces.cli.render_context import show_context
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.load import shipped_pipelines
    from docgraph.pipeline.retrieval import plan_from_json

    try:
        saved = plan_from_json(plan.read_bytes())
    except OSError as error:
        raise BadInput(f"{plan}: cannot be read: {error.strerror}") from error
    if pipeline is None and saved.pipeline not in shipped_pipelines():
        raise BadInput(
            f"this plan was made with a pipeline called {saved.pipeline!r}, which is not shipped; "
            "name its file with --pipeline"
        )
    steps = load_pipeline(pipeline or saved.pipeline, common.store)
    engine = common.engine()
    result = engine.questions.execute(common.reader(), saved, steps)
    note_running_ingest(common, engine)
    states = source_states(common, engine, result)
    if common.json:
        found = {"context": result.context, "digest": result.context.digest}
        print_json({**found, "embeddings": result.embeddings, "source_states": states})
        return
    if saved.edited:
        echo("note: this plan was edited after it was saved", err=True)
    show_context(result.context)
