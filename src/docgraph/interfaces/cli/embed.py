"""docgraph embed: compute the vectors that ingests have left."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import JsonOption, QuietOption, StoreOption, engine_for
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.ingest.embed_pending import EmbeddingResult
    from docgraph.model.snapshot import SnapshotName

INTERRUPTED = 130  # the exit code of a command that Ctrl-C has ended


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
    from docgraph.interfaces.cli.progress.show import choose_style, show_progress
    from docgraph.model.snapshot import SnapshotName

    engine, me = engine_for(store), local()
    chosen = [
        SnapshotName(one.repository, one.branch, 0)
        for one in engine.content.store.unembedded_branches()
        if one.tenant == me.tenant
        and repository in (None, one.repository)
        and branch in (None, one.branch)
    ]
    results: list[tuple[SnapshotName, EmbeddingResult]] = []
    with (
        stopped_by_user(lambda: engine, chosen),
        show_progress(choose_style(quiet=quiet, json=json)) as progress,
    ):
        for one in chosen:
            done = engine.content.embed(me, one.repository, one.branch, progress)
            results.append((one, done))
    if json:
        print_json({"embedded": [result for _, result in results]})
        return
    for place, result in results:
        number = "" if result.snapshot is None else f" snapshot {result.snapshot.snapshot}"
        state = result.state.describe()
        echo(f"{place.repository} {place.branch}{number}: embeddings {state}")
        for problem in result.problems:
            echo(f"not embedded: {problem.path}: {problem.reason}")
    if not results and not quiet:
        echo("everything is embedded")


def embed_detached(place: "SnapshotName", store: str | None) -> int:
    """Starts a process that embeds the branch, and outlives this one; its number."""
    process = subprocess.Popen(  # noqa: S603  our own interpreter with our own code
        [
            *(sys.executable, "-m", "docgraph.interfaces.cli.main", "embed", "--quiet"),
            *("--repository", place.repository, "--branch", place.branch),
            *(() if store is None else ("--store", store)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return process.pid


@contextmanager
def stopped_by_user(
    engine: "Callable[[], Engine]", askable: "Sequence[SnapshotName]"
) -> Iterator[None]:
    """After Ctrl-C, one line says what can be asked: branches that were published meanwhile."""
    try:
        yield
    except KeyboardInterrupt:
        if not askable:
            echo("stopped: nothing was published; what was there before can be asked", err=True)
        for place in askable:
            state = _state_of(engine(), place)
            echo(
                f"stopped: {place.repository} {place.branch} can be asked, embeddings {state}; "
                "`docgraph embed` or the next ingest continues",
                err=True,
            )
        raise typer.Exit(INTERRUPTED) from None


def _state_of(engine: "Engine", place: "SnapshotName") -> str:
    from docgraph.interfaces.auth.principals import local
    from docgraph.model.snapshot import SnapshotSelector

    scope = (SnapshotSelector(place.repository, place.branch),)
    return engine.content.status(local(), scope).embeddings.describe()
