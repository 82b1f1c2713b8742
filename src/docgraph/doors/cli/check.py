"""docgraph check: is a pipeline file sound?"""

from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, pipeline_named, print_json


def check(
    pipeline: Annotated[str, typer.Argument(help="A YAML file, or a shipped pipeline's name.")],
    json: JsonOption = False,
) -> None:
    """Check a pipeline without running it.

    Prints its steps with every option, or file, line and what would fit.
    """
    from docgraph.doors.cli.show import show_pipeline
    from docgraph.model.digest import plain

    found = pipeline_named(pipeline)
    if json:
        steps = [{"action": s.action.name, "options": plain(s.options)} for s in found.steps]
        print_json({"pipeline": found.name, "digest": found.digest, "steps": steps})
    else:
        show_pipeline(found)
