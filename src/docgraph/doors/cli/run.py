"""docgraph run: execute a saved plan."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    AsOption,
    JsonOption,
    StoreOption,
    asker,
    engine_for,
    pipeline_named,
    print_json,
)


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
    from docgraph.doors.cli.show_context import show_context
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.load import shipped
    from docgraph.pipeline.saved_plan import plan_from_json

    try:
        saved = plan_from_json(plan.read_bytes())
    except OSError as error:
        raise BadInput(f"{plan}: cannot be read: {error.strerror}") from error
    if pipeline is None and saved.pipeline not in shipped():
        raise BadInput(
            f"this plan was made with a pipeline called {saved.pipeline!r}, which is not shipped; "
            "name its file with --pipeline"
        )
    found = engine_for(store).execute(
        asker(store, as_), saved, pipeline_named(pipeline or saved.pipeline)
    )
    if json:
        print_json({"context": found.context, "digest": found.context.digest})
        return
    if saved.edited:
        typer.echo("note: this plan was edited after it was saved", err=True)
    show_context(found.context)
