"""Watches one folder: after each batch of changes, an ingest."""

import time
from collections.abc import Callable
from typing import Literal

from docgraph.engine.content import ContentService
from docgraph.interfaces.watch.events import WatchEvent
from docgraph.interfaces.watch.folder_ingest import IngestTurns, WatchTask, ingest_folder
from docgraph.model.embedding_state import COMPLETE
from docgraph.model.errors import Cancelled, DocgraphError, SourceChanged
from docgraph.ports.source import SourceProblem
from docgraph.ports.source_states import BranchKey
from docgraph.ports.watching import CheckoutState

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 60.0  # seconds until a failed ingest is tried again
SETTLE = 2.0  # seconds that git's lock is waited for without any change
LOOK_EVERY = 1.0  # seconds between two looks for a folder that is gone
PAUSE = 0.2  # seconds until a folder is watched anew
# Of so many changes at once the system may have dropped some: one more look, seconds later.
MANY, LOOK_AGAIN = 1_000, 2.0


class FolderWatch:
    """For one thread. `report` is called with all that happens, `embed_later` with branches that an
    ingest has not embedded."""

    def __init__(
        self,
        content: ContentService,
        task: WatchTask,
        turns: IngestTurns,
        report: Callable[[WatchEvent], None],
        embed_later: Callable[[BranchKey], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._content = content
        self._task = task
        self._turns = turns
        self._report = report
        self._embed_later = embed_later
        self._clock = clock
        self._due: float | None = 0.0  # when the next ingest begins; None while nothing changed
        self._busy_since: float | None = None
        self._failures = 0
        self._message = ""
        self._problems: frozenset[SourceProblem] = frozenset()

    def run(self) -> None:
        """Until the turns end."""
        stopping = self._turns.stopping
        while not stopping.is_set():
            self._follow()
            if stopping.wait(PAUSE):
                return
            if not self._task.source.is_same():
                self._await_folder()
            self._due = self._clock()

    def _await_folder(self) -> None:
        """Gone, or replaced by another."""
        self._tell("gone")
        while not self._task.source.exists():
            if self._turns.stopping.wait(LOOK_EVERY):
                return
        self._tell("back")

    def _follow(self) -> None:
        """While the folder is there."""
        source = self._task.source
        for paths in source.events(self._turns.stopping):
            now = self._clock()
            if not source.is_same():
                return
            if paths and source.concerns(paths):
                self._due, self._busy_since = now, None
            if self._due is not None and self._due <= now:
                self._due = now + LOOK_AGAIN if len(paths) > MANY else None
                self._ingest(now)

    def _ingest(self, now: float) -> None:
        try:
            state = self._task.source.state()
            if self._must_wait(state, now):
                self._due = now
                return
            self._publish(state)
        except SourceChanged:
            self._due = now
        except Cancelled:
            if not self._turns.stopping.is_set():
                raise
        except (DocgraphError, OSError) as error:
            self._fail(error)

    def _must_wait(self, state: CheckoutState, now: float) -> bool:
        """Git holds its lock while it switches branches. A lock that stays while no file changes is
        that of an editor for a commit's message, or of a process that was killed."""
        if not state.busy:
            self._busy_since = None
            return False
        self._busy_since = now if self._busy_since is None else self._busy_since
        return now - self._busy_since < SETTLE

    def _publish(self, state: CheckoutState) -> None:
        began = self._clock()
        result = ingest_folder(self._content, self._task, state, self._turns)
        seconds = round(self._clock() - began, 3)
        self._failures, self._message = 0, ""
        if result.embeddings.name != COMPLETE:
            source, tenant = self._task.source, self._task.principal.tenant
            self._embed_later(BranchKey(tenant, source.repository, state.branch))
        problems = tuple(one for one in result.problems if one not in self._problems)
        self._problems = frozenset(result.problems)
        self._report(
            WatchEvent(
                "unchanged" if result.snapshot is None else "published",
                self._task.source.path,
                self._task.source.repository,
                state.branch,
                seconds,
                result,
                problems,
            )
        )

    def _fail(self, error: Exception) -> None:
        """Retried after longer and longer pauses; reported once."""
        pause = min(FIRST_PAUSE * 2**self._failures, LONGEST_PAUSE)
        self._failures += 1
        self._due = self._clock() + pause
        if str(error) != self._message:
            self._message = str(error)
            self._tell("failed", type(error).__name__, self._message)

    def _tell(
        self, event: Literal["failed", "gone", "back"], kind: str = "", message: str = ""
    ) -> None:
        source = self._task.source
        self._report(WatchEvent(event, source.path, source.repository, kind=kind, message=message))
