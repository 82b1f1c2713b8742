"""docgraph watch: folders are ingested whenever they change."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from docgraph.interfaces.cli.ingest import access_from
from docgraph.interfaces.cli.options import (
    IngestOptions,
    JsonOption,
    MaxBytesOption,
    QuietOption,
    RepositoryNameOption,
    StoreOption,
    existing_or_new,
    expand_options,
)

if TYPE_CHECKING:
    from docgraph.interfaces.watch.folder_ingest import WatchTask
    from docgraph.interfaces.watch.watcher import Watcher
    from docgraph.ports.watching import WatchOptions
    from docgraph.wiring.settings import Settings

BRANCH_HELP = "The branch to write. Default: the one that git has checked out, else main."
_LAST_STEP = 5.0  # seconds for the texts that are being embedded
_PART = 1.0  # seconds: on some systems a signal is handled only between two waits


@expand_options
def watch(
    paths: Annotated[
        list[str],
        typer.Argument(help="Folders, git work trees or single files.", show_default=False),
    ],
    repository: RepositoryNameOption = None,
    branch: Annotated[
        str | None, typer.Option("--branch", "-b", help=BRANCH_HELP, show_default=False)
    ] = None,
    *,
    options: IngestOptions,
    max_bytes: MaxBytesOption = 10_000_000,
    polling: Annotated[
        bool,
        typer.Option(
            "--polling",
            help="List the files every second, for file systems that report no changes.",
        ),
    ] = False,
    quiet: QuietOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Ingest folders whenever they change.

    Ingests at once, then after every change, until Ctrl-C or SIGTERM. In a git work tree each
    branch that is checked out is filled by itself, and ignored files are no reason to ingest.
    """
    from docgraph.engine.background_embedding import BackgroundEmbedding
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_watch import WatchPrinter
    from docgraph.interfaces.watch.watcher import Watcher
    from docgraph.ports.watching import WatchOptions
    from docgraph.wiring.build import build_engine
    from docgraph.wiring.models import preload_embedder

    settings = existing_or_new(store)
    chosen = WatchOptions(repository, branch, max_bytes, polling)
    tasks = _tasks(paths, chosen, options, settings)
    engine = build_engine(settings, preload_embedder(settings))
    printer = WatchPrinter(json=json, quiet=quiet)
    printer.begin(len(tasks))
    embedding = BackgroundEmbedding(
        engine.content,
        lambda _: local(),
        looks=False,
        report=printer.show_embedding,
        fail=printer.show_embedding_error,
    )
    embedding.start()
    try:
        _run(Watcher(engine.content, tasks, printer.show, embedding.request))
    finally:
        embedding.stop(_LAST_STEP)
    printer.end()


def _tasks(
    paths: list[str], chosen: "WatchOptions", options: IngestOptions, settings: "Settings"
) -> "list[WatchTask]":
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.watch.folder_ingest import WatchTask, check_apart
    from docgraph.model.errors import BadInput
    from docgraph.wiring.sources import source_location
    from docgraph.wiring.watching import open_watched

    if chosen.repository is not None and len(paths) > 1:
        raise BadInput("--repository names one path; watch the others with a command of their own")
    access = access_from(options)
    tasks = [
        WatchTask(
            open_watched(path, chosen, settings),
            local(),
            access,
            source_location(path),
            tuple(options.without or ()),
        )
        for path in paths
    ]
    check_apart(tasks)
    return tasks


def _run(watcher: "Watcher") -> None:
    """Until a signal, or an error after which watching cannot go on."""
    with _ended_by_signals():
        try:
            watcher.start()
            while not watcher.wait(_PART):
                pass
        except KeyboardInterrupt:
            _take_no_more_signals()
        finally:
            watcher.stop()
    if watcher.failure is not None:
        raise watcher.failure


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM is as good as Ctrl-C."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _take_no_more_signals() -> None:
    """A second one ends the process at once; nothing half-done is visible even then."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    sys.stdout.flush()
