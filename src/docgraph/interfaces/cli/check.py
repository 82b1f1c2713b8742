"""docgraph check: is a pipeline file sound, and does a store hold what it follows?"""

from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    JsonOption,
    engine_for,
    load_pipeline,
)
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from docgraph.pipeline.pipeline import Pipeline


def check(
    pipeline: Annotated[str, typer.Argument(help="A YAML file, or a shipped pipeline's name.")],
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Also tell which relations it follows that you cannot see in this store.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check a pipeline without running it.

    Prints its steps with every option, or file, line and what would fit.
    """
    from docgraph.interfaces.cli.render_retrieval import show_pipeline
    from docgraph.model.digest import plain

    found = load_pipeline(pipeline, store)
    missing = missing_relations(found, store) if store else ()
    if json:
        steps = [{"action": s.action.name, "options": plain(s.options)} for s in found.steps]
        result = {"pipeline": found.name, "digest": found.digest, "steps": steps}
        print_json({**result, "missing_relations": missing} if store else result)
    else:
        show_pipeline(found)
        if missing:
            echo(f"in {store} you see no relation of type: {', '.join(missing)}")


def missing_relations(pipeline: "Pipeline", store: str) -> tuple[str, ...]:
    from docgraph.interfaces.auth.principals import local

    named = {name for step in pipeline.steps for name in step.options.get("relations") or ()}
    seen: set[str] = set()
    engine_for(store).content.visit_relations(
        local(), lambda found: seen.add(found.edge.relation), only=frozenset(named)
    )
    return tuple(sorted(named - seen))
