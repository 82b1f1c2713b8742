"""docgraph import: a corpus in JSON lines becomes a snapshot."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    IngestOptions,
    IntoRepository,
    JsonOption,
    QuietOption,
    StoreOption,
    engine_for,
    expand_options,
)
from docgraph.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.evaluation.dataset import Collection
    from docgraph.ingest.result import IngestResult
    from docgraph.interfaces.cli.progress.show import ProgressStyle
    from docgraph.model.snapshot import SourceLocation


@expand_options
def import_corpus(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A folder with corpus.jsonl, or with manifests.jsonl and blobs.jsonl.gz.",
            show_default=False,
        ),
    ],
    repository: IntoRepository,
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            "-b",
            help="The branch to write. Default: main, or one for each manifest.",
            show_default=False,
        ),
    ] = None,
    *,
    options: IngestOptions,
    quiet: QuietOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a corpus in JSON lines in.

    Each row becomes a document, each row of edges.jsonl a relation. What is gone from the corpus is
    gone from the new snapshot.
    """
    from docgraph.interfaces.cli.ingest import note_if_unreadable
    from docgraph.interfaces.cli.progress.show import choose_style
    from docgraph.interfaces.cli.render_store import show_ingest
    from docgraph.wiring.sources import source_location

    collections = collections_in(directory, repository, branch)
    engine = engine_for(store, must_exist=False)
    style = choose_style(quiet=quiet, json=json)
    location = source_location(directory)
    results = [_import_one(engine, found, options, location, style) for found in collections]
    for found in collections:
        note_if_unreadable(store, found.repository, found.branch)
    if json:
        print_json({"imported": results})
    else:
        for result in results:
            show_ingest(result, brief=quiet)


def _import_one(
    engine: "Engine",
    found: "Collection",
    options: IngestOptions,
    location: "SourceLocation",
    style: "ProgressStyle",
) -> "IngestResult":
    from docgraph.interfaces.cli.ingest import access_from, ingest_source
    from docgraph.interfaces.cli.progress.show import show_progress

    with show_progress(style) as progress:
        return ingest_source(
            engine,
            found.source,
            repository=found.repository,
            branch=found.branch,
            access=access_from(options),
            without=options.without,
            given=found.edges,
            location=location,
            progress=progress,
        )


def collections_in(folder: Path, repository: str, branch: str | None) -> "tuple[Collection, ...]":
    """What there is to take in: one corpus, or a branch for every manifest."""
    from docgraph.evaluation.dataset import Collection
    from docgraph.model.errors import BadInput
    from docgraph.wiring.build import open_jsonl, open_manifests, read_jsonl_edges

    corpus, edges = folder / "corpus.jsonl", folder / "edges.jsonl"
    manifests, blobs = folder / "manifests.jsonl", folder / "blobs.jsonl.gz"
    if corpus.is_file():
        given = read_jsonl_edges(edges, repository) if edges.is_file() else ()
        return (Collection(repository, branch or "main", open_jsonl(corpus), given),)
    if not (manifests.is_file() and blobs.is_file()):
        raise BadInput(
            f"{folder}: there is no corpus.jsonl in it, and no manifests.jsonl with blobs.jsonl.gz"
        )
    if branch is not None:
        raise BadInput(f"{folder}: every manifest is a branch of its own; leave --branch out")
    sources = open_manifests(manifests, blobs)
    return tuple(Collection(repository, name, found, ()) for name, found in sources.items())
