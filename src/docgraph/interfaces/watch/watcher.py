"""Watches several folders, each in a thread of its own."""

import threading
from collections.abc import Callable, Sequence

from docgraph.engine.content import ContentService
from docgraph.interfaces.watch.events import WatchEvent
from docgraph.interfaces.watch.folder_ingest import IngestTurns, WatchTask
from docgraph.interfaces.watch.folder_watch import FolderWatch
from docgraph.ports.source_states import BranchKey


class Watcher:
    """`report` is called by one thread at a time, `embed_later` with branches that an ingest has
    not embedded. The first error that watching cannot go on after ends all; `failure` has it."""

    def __init__(
        self,
        content: ContentService,
        tasks: Sequence[WatchTask],
        report: Callable[[WatchEvent], None],
        embed_later: Callable[[BranchKey], None],
        on_failure: Callable[[Exception], None] = lambda _: None,
    ) -> None:
        self._turns = IngestTurns()
        self._lock = threading.Lock()
        self._report = report
        self._on_failure = on_failure
        self._threads = tuple(
            threading.Thread(
                target=self._run,
                args=(FolderWatch(content, task, self._turns, self._report_one, embed_later),),
                name=f"watch {task.source.path}",
                daemon=True,
            )
            for task in tasks
        )
        self.failure: Exception | None = None

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended by then."""
        return self._turns.stopping.wait(seconds)

    def begin_stop(self) -> None:
        """An ingest that runs ends at its next step, and publishes nothing."""
        self._turns.stop()

    def stop(self, seconds: float | None = None) -> bool:
        """False if a step takes longer than that."""
        self.begin_stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self, watch: FolderWatch) -> None:
        try:
            watch.run()
        except Exception as error:  # noqa: BLE001  the thread that waits raises it
            self.failure = self.failure or error
            self._turns.stop()
            self._on_failure(error)

    def _report_one(self, event: WatchEvent) -> None:
        with self._lock:
            self._report(event)
