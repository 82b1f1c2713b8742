"""The lock of a store's writers: a file that also says which process holds it, and since when."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.model.errors import StoreBusy
from docgraph.model.running_ingest import Process, RunningIngest, waiting_notice
from docgraph.ports.cancellation import check_cancelled

if TYPE_CHECKING:
    from filelock import BaseFileLock

_LOG = logging.getLogger("docgraph.store")
_CHECK_EVERY = 0.2  # seconds between two looks whether who waits for the lock has left
_BATCH = 0.3  # seconds that writing a batch of vectors takes at most
_MAX_BYTES = 10_000


class IngestLock:
    """`wait` is how many seconds a second writer queues behind a first."""

    def __init__(
        self, store: Path, process: Process, *, now: Callable[[], str], wait: float
    ) -> None:
        self._store = store
        self._path = Path(f"{store}.ingest.lock")
        self._process = process
        self._now = now
        self._wait = wait

    @contextmanager
    def hold(self, tenant: str) -> Iterator[None]:
        """A writer that has to wait says so at once, and for whom; not for a batch of vectors."""
        lock = self._open()
        if not _acquired(lock, _BATCH):
            _LOG.warning("%s", waiting_notice(self._holder(), self._wait))
            self._queue(lock)
        try:
            ingest = RunningIngest.of(self._process, self._now())
            self._write(json.dumps({"tenant": tenant, **asdict(ingest)}))
            yield
        finally:
            self._write("")
            lock.release()

    def running(self, tenant: str) -> RunningIngest | None:
        """The tenant's ingest that holds the lock. What the file says counts only while somebody
        does: a process that was killed leaves it behind."""
        text = self._read()
        if not text or self._is_free():
            return None
        found = _parse(text)
        return found[1] if found is not None and found[0] == tenant else None

    def _holder(self) -> RunningIngest | None:
        found = _parse(self._read())
        return None if found is None else found[1]

    def _queue(self, lock: "BaseFileLock") -> None:
        until = time.monotonic() + self._wait
        while not _acquired(lock, max(0.0, min(_CHECK_EVERY, until - time.monotonic()))):
            check_cancelled()
            if time.monotonic() >= until:
                raise StoreBusy(
                    f"{self._store}: another ingest has held this store for {self._wait:g} s; "
                    "wait for it to end, then try again"
                )

    def _is_free(self) -> bool:
        """Removes what a killed process left behind."""
        lock = self._open()
        try:
            if not _acquired(lock, 0.0):
                return False
        except OSError:  # not this user's file
            return False
        try:
            self._write("")
        finally:
            lock.release()
        return True

    def _open(self) -> "BaseFileLock":
        from filelock import FileLock  # who only asks does not wait for this import

        return FileLock(self._path, mode=0o600)

    def _read(self) -> bytes:
        with suppress(OSError), self._path.open("rb") as file:
            return file.read(_MAX_BYTES)
        return b""

    def _write(self, text: str) -> None:
        """In place: another file of this name would be another lock."""
        descriptor = os.open(self._path, os.O_WRONLY)
        try:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _acquired(lock: "BaseFileLock", seconds: float) -> bool:
    """False where it is still held after that time."""
    from filelock import Timeout

    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        return False
    return True


def _parse(text: bytes) -> tuple[str, RunningIngest] | None:
    """The tenant and the ingest; None where the file says nothing that can be read."""
    try:
        values = json.loads(text)
        tenant = str(values.pop("tenant"))
        return tenant, RunningIngest(**values)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
