"""docgraph embed: compute the vectors that ingests have left."""

from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import JsonOption, QuietOption, StoreOption, engine_for
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from docgraph.ingest.embed_pending import EmbeddingResult
    from docgraph.model.snapshot import SnapshotName


def embed(
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository", "-r", help="This repository alone. Default: all.", show_default=False
        ),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option("--branch", "-b", help="This branch alone. Default: all.", show_default=False),
    ] = None,
    quiet: QuietOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Embed what has no vectors yet.

    Continues what an ingest with --no-embeddings or --detach, or one that was interrupted, has
    left. Questions are answered meanwhile; Ctrl-C loses a batch of texts at most.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.progress import progress_bar

    engine, me = engine_for(store), local()
    chosen = [
        one
        for one in engine.content.store.unembedded_branches()
        if one.tenant == me.tenant
        and repository in (None, one.repository)
        and branch in (None, one.branch)
    ]
    results: list[tuple[str, EmbeddingResult]] = []
    for one in chosen:
        with progress_bar(shown=not quiet and not json) as progress:
            result = engine.content.embed(me, one.repository, one.branch, progress)
        results.append((f"{one.repository} {one.branch}", result))
    if json:
        print_json({"embedded": [result for _, result in results]})
        return
    for place, result in results:
        echo(describe_embedding(place, result.snapshot, result))
    if not results and not quiet:
        echo("everything is embedded")


def describe_embedding(
    place: str, snapshot: "SnapshotName | None", result: "EmbeddingResult"
) -> str:
    """`snapshot 5 of notes main: embeddings complete, 900 vectors computed`."""
    name = f"snapshot {snapshot.snapshot} of {place}" if snapshot else place
    computed = f"{result.vectors:,} vectors computed"
    return f"{name}: embeddings {result.state.describe()}, {computed}"
