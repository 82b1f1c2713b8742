"""Parses files in worker processes, several at once; results come in the order of the files.

Files travel in batches. Each worker process is served by one thread of its own, which sends it a
batch and reads a result for each file. A worker that ends before its answer costs one file: the
one it was parsing. The rest of the batch goes to a new worker.
"""

import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, Self, TypeVar

from docgraph.ingest.parse_file import ParsedDocument, ParseResult, ParseTask
from docgraph.ingest.registries import Registries
from docgraph.ingest.workers.limits import ParserLimits
from docgraph.ingest.workers.messages import BadFrame, decode_result
from docgraph.ingest.workers.process import WorkerEnded, WorkerProcess
from docgraph.ingest.workers.spare import SPARE, can_be_kept
from docgraph.ingest.workers.watchdog import Watchdog
from docgraph.ingest.workers.worker import WorkerSettings
from docgraph.model.document import Document
from docgraph.model.errors import ParserError
from docgraph.model.node import chunk_id, document_id
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.source import SourceProblem

BATCH_FILES = 16
BATCH_BYTES = 256 * 1024
BATCH_ITEMS = 256  # with those that need no parsing
MAX_WORKERS = 8  # where settings leave the number to the cores
_WAIT = 0.2  # seconds between two looks at the deadline
T = TypeVar("T")


def count_workers(workers: int) -> int:
    """0 is one for every core that this process may use, 8 at most."""
    if workers:
        return workers
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, MAX_WORKERS)


@dataclass(slots=True)
class _Job:
    """A task, and its result as it came from the worker, or why there is none."""

    task: ParseTask
    reply: bytes | SourceProblem | None = None


@dataclass(slots=True)
class _Batch(Generic[T]):
    """Items in their order; `jobs` are those among them that are parsed."""

    items: "list[_Job | T]" = field(default_factory=list)
    jobs: list[_Job] = field(default_factory=list)
    size: int = 0

    def add(self, item: ParseTask | T) -> None:
        if isinstance(item, ParseTask):
            job = _Job(item)
            self.jobs.append(job)
            self.items.append(job)
            self.size += len(item.data)
        else:
            self.items.append(item)

    @property
    def is_full(self) -> bool:
        return (
            len(self.jobs) >= BATCH_FILES
            or self.size >= BATCH_BYTES
            or len(self.items) >= BATCH_ITEMS
        )


class _Closed(Exception):
    """Nobody waits for results any more."""


class ParserPool:
    """To be used in a `with` block, by one thread. The first worker is started at once, others when
    several batches wait. At the end one idle worker is kept for the next pool.

    `load` is called in each worker, so it must be possible to pickle it.
    """

    def __init__(
        self, load: Callable[[], Registries], limits: ParserLimits, workers: int = 0
    ) -> None:
        self._settings = WorkerSettings(load, limits)
        self._most = count_workers(workers)
        self._queue: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._watchdog = Watchdog(limits, self._list_busy)
        self._changed = threading.Condition()  # guards all below, and the replies of jobs
        self._error: BaseException | None = None
        self._closed = False
        self._processes: dict[int, WorkerProcess] = {}  # by pid
        self._busy: set[int] = set()
        self._idle: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        self._idle.append(self._start_process())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._changed:
            self._closed = True
        for process in self._list_busy():
            process.kill()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        self._watchdog.stop()
        kept = next((one for one in self._idle if can_be_kept(one)), None)
        for process in self._processes.values():
            if process is not kept:
                process.close()
        if kept is not None:
            SPARE.keep(kept)

    def wait_until_ready(self) -> None:
        """Raises ParserError if the first worker cannot start."""
        self._idle[0].wait_until_ready()

    def parse(self, items: Iterable[ParseTask | T]) -> Iterator[ParseResult | T]:
        """One result for every task, in the same order; other items are passed on.

        Twice as many batches as there are workers are requested from `items` ahead of the results.
        """
        window: deque[_Batch[T]] = deque()
        for batch in _split_batches(items):
            if batch.jobs:
                self._submit(batch.jobs)
            window.append(batch)
            while len(window) > 2 * self._most or (window and self._is_done(window[0])):
                yield from self._results(window.popleft())
        while window:
            yield from self._results(window.popleft())

    def _results(self, batch: _Batch[T]) -> Iterator[ParseResult | T]:
        for item in batch.items:
            yield self._wait(item) if isinstance(item, _Job) else item

    def _is_done(self, batch: _Batch[T]) -> bool:
        with self._changed:
            return all(job.reply is not None for job in batch.jobs)

    def _wait(self, job: _Job) -> ParseResult:
        """Raises Cancelled when the deadline of this thread's request has passed."""
        with self._changed:
            while job.reply is None:
                if self._error is not None:
                    raise self._error
                self._changed.wait(_WAIT)
                check_cancelled()
            reply = job.reply
        return read_reply(job.task, reply)

    def _submit(self, jobs: list[_Job]) -> None:
        waiting = self._queue.qsize()
        self._queue.put(jobs)
        if not self._threads:
            self._watchdog.start()
        if not self._threads or (waiting and len(self._threads) < self._most):
            name = f"parser-{len(self._threads) + 1}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self) -> None:
        """Batch after batch, until the pool is closed."""
        process: WorkerProcess | None = None
        try:
            while (jobs := self._queue.get()) is not None:
                process = self._parse_batch(process, deque(jobs))
        except BaseException as error:  # noqa: BLE001  the pool's user gets it
            with self._changed:
                self._error = self._error or error
                self._changed.notify_all()
        else:
            if process is not None:
                with self._changed:
                    self._idle.append(process)

    def _parse_batch(
        self, process: WorkerProcess | None, jobs: deque[_Job]
    ) -> WorkerProcess | None:
        """A file on which a worker ends after others is tried once more, by a new worker: what
        they have left behind must not decide about it."""
        while jobs:
            process = process or self._next_process()
            try:
                with self._working(process):
                    process.wait_until_ready()
                    process.send([job.task for job in jobs])
                    while jobs:
                        self._settle(jobs[0], process.receive())
                        jobs.popleft()
            except WorkerEnded as error:
                if error.final or process.answered == 0:
                    job = jobs.popleft()
                    self._settle(job, SourceProblem(job.task.file.path, str(error)))
                self._drop(process)
                process = None
        return process

    @contextmanager
    def _working(self, process: WorkerProcess) -> Iterator[None]:
        """Until the pool is closed, which kills it; what this causes is no error."""
        with self._changed:
            if self._closed:
                raise _Closed
            self._busy.add(process.pid)
        try:
            yield
        except (WorkerEnded, ParserError) as error:
            if self._closed:
                raise _Closed from error
            raise
        finally:
            with self._changed:
                self._busy.discard(process.pid)

    def _settle(self, job: _Job, reply: bytes | SourceProblem) -> None:
        with self._changed:
            job.reply = reply
            self._changed.notify_all()

    def _next_process(self) -> WorkerProcess:
        with self._changed:
            if self._idle:
                return self._idle.pop()
        return self._start_process()

    def _start_process(self) -> WorkerProcess:
        process = SPARE.take(self._settings) or WorkerProcess(self._settings)
        with self._changed:
            self._processes[process.pid] = process
        return process

    def _drop(self, process: WorkerProcess) -> None:
        with self._changed:
            del self._processes[process.pid]
        process.close()

    def _list_busy(self) -> tuple[WorkerProcess, ...]:
        with self._changed:
            return tuple(self._processes[pid] for pid in self._busy)


def _split_batches(items: Iterable[ParseTask | T]) -> Iterator[_Batch[T]]:
    batch: _Batch[T] = _Batch()
    for item in items:
        batch.add(item)
        if batch.is_full:
            yield batch
            batch = _Batch()
    if batch.items:
        yield batch


def read_reply(task: ParseTask, reply: bytes | SourceProblem) -> ParseResult:
    """What was sent for another file than the requested one is not accepted."""
    path = task.file.path
    try:
        result = reply if isinstance(reply, SourceProblem) else decode_result(reply)
        if isinstance(result, ParsedDocument):
            _check_document(task, result.built.document)
            return result
    except BadFrame as error:
        return SourceProblem(path, f"parser crashed: {error}")
    return SourceProblem(path, result.reason)


def _check_document(task: ParseTask, document: Document) -> None:
    root = document_id(task.repository, task.file.path)
    own = (f"{root}#", f"{root}::")
    ids: set[str | None] = {None}
    for node in document.nodes:
        is_own = node.id == root if node is document.nodes[0] else node.id.startswith(own)
        if not is_own or node.parent not in ids or node.source.path != task.file.path:
            raise BadFrame("a result has nodes of another file")
        ids.add(node.id)
    for chunk in document.chunks:
        if chunk.node not in ids or chunk.id != chunk_id(chunk.node, chunk.position):
            raise BadFrame("a result has chunks of another file")
    if document.path != task.file.path or document.fingerprint != task.fingerprint:
        raise BadFrame("a result is that of another file")
    if document.statements:
        raise BadFrame("a result states who may read it")
