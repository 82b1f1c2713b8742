"""docgraph eval: flat against planned retrieval on questions with known answers."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, PipelineOption, StoreOption, print_json


def evaluate(
    directory: Annotated[
        Path, typer.Argument(help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    pipeline: PipelineOption = "documents",
    limit: Annotated[
        int | None, typer.Option("--limit", help="Ask only the first so many questions.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Measure flat and planned retrieval side by side on a set of judged questions.

    Ingests into a temporary store; with --store the store is kept and used again.
    """
    from docgraph.doors.cli.show import show_measures
    from docgraph.doors.cli.options import current_settings, pipeline_named
    from docgraph.evaluation.evaluate import evaluate as measure

    found = measure(
        directory, pipeline_named(pipeline), current_settings(store), keep=store, limit=limit
    )
    if json:
        print_json(found)
    else:
        show_measures(found)
