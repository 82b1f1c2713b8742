"""One ingest of a watched folder, into the branch that is checked out."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from docgraph.engine.content import ContentService
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.inputs import AccessOptions
from docgraph.interfaces.watch.ingest_guard import IngestGuard
from docgraph.model.access import LOCAL, LOCAL_ONLY, Principal
from docgraph.model.errors import BadInput, Cancelled
from docgraph.model.snapshot import SourceLocation
from docgraph.ports.cancellation import deadline_scope
from docgraph.ports.watching import CheckoutState, WatchedSource

_WAIT = 0.2  # seconds between two looks whether the watcher ends


@dataclass(frozen=True, slots=True)
class WatchTask:
    """A folder to watch, in whose name it is ingested, and who may read it."""

    source: WatchedSource
    principal: Principal
    access: AccessOptions
    location: SourceLocation
    without: tuple[str, ...] = ()


def check_apart(tasks: Sequence[WatchTask]) -> None:
    """Two paths that fill one branch would remove each other's documents."""
    seen: dict[tuple[str, str], str] = {}
    for task in tasks:
        source = task.source
        key = (task.principal.tenant, source.repository)
        if key in seen:
            raise BadInput(
                f"{seen[key]} and {source.path} would both fill the repository "
                f"{source.repository!r}; name one of them otherwise"
            )
        seen[key] = source.path


class IngestTurns:
    """One ingest at a time in this process; `stop` ends the one that runs, and all later ones."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._turn = threading.Lock()
        self._current: IngestGuard | None = None

    @contextmanager
    def take(self, guard: IngestGuard) -> Iterator[None]:
        while not self._turn.acquire(timeout=_WAIT):
            self._check()
        try:
            self._current = guard
            self._check()
            with deadline_scope(guard):
                yield
        finally:
            self._current = None
            self._turn.release()

    def stop(self) -> None:
        self.stopping.set()
        current = self._current
        if current is not None:
            current.cancel()

    def _check(self) -> None:
        if self.stopping.is_set():
            raise Cancelled("the watcher ends")


def ingest_folder(
    content: ContentService, task: WatchTask, state: CheckoutState, turns: IngestTurns
) -> IngestResult:
    """Of the files as they lie there; SourceChanged if git switched branches meanwhile."""
    opened = task.source.open(state.branch)
    rule = task.access.rule
    with turns.take(IngestGuard(lambda: task.source.has_mark(state))):
        return content.ingest(
            task.principal,
            opened.source,
            repository=opened.repository,
            branch=opened.branch,
            rule_for=None if rule is None else lambda _: rule,
            otherwise=LOCAL_ONLY if task.principal.tenant == LOCAL else None,
            restriction=task.access.restriction,
            without=task.without,
            origin=opened.origin,
            location=task.location,
            embed="few",
        )
