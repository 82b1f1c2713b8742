"""docgraph eval: flat against planned retrieval on questions with known answers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    JsonOption,
    PipelineOption,
    current_settings,
    pipeline_named,
    print_json,
)


def evaluate(
    directory: Annotated[
        Path, typer.Argument(help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    pipeline: PipelineOption = "documents",
    limit: Annotated[
        int | None, typer.Option("--limit", help="Ask only the first so many questions.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", help="Keep the store here, and use it again next time."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure flat and planned retrieval.

    Side by side, on a folder of judged questions. Ingests into a temporary store; with --store the
    store is kept and used again.
    """
    from docgraph.doors.cli.progress import progress_bar
    from docgraph.doors.cli.show import show_measures
    from docgraph.doors.login.principals import local
    from docgraph.evaluation.evaluate import evaluate as measure

    with progress_bar(shown=sys.stderr.isatty()) as progress:
        found = measure(
            directory,
            pipeline_named(pipeline),
            current_settings(store),
            local,
            keep=store,
            limit=limit,
            progress=progress,
        )
    if json:
        print_json(found)
    else:
        show_measures(found)
