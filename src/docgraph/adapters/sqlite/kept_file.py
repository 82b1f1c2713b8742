"""A side file that stays open for writing: opening it costs more than a row."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from docgraph.adapters.sqlite.side_file import SideFile


class KeptFile:
    """Made with the first row. Any number of threads and processes may write at once."""

    def __init__(self, file: SideFile, path: Path, wait: float = 30) -> None:
        """`wait` is how many seconds a writer queues behind those of other processes."""
        self.path = path
        self._file = file
        self._wait = wait
        self._lock = threading.Lock()
        self._kept: tuple[object, sqlite3.Connection] | None = None
        self._let_go: Callable[[], object] = lambda: None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """One read transaction, which no writer waits for; None where nobody wrote yet."""
        with self._file.errors(self.path):
            if not self.path.exists():
                yield None
                return
            with closing(self._file.open(self.path, self._wait)) as connection:
                connection.execute("BEGIN")
                yield connection

    @contextmanager
    def looking(self) -> Iterator[sqlite3.Connection | None]:
        """The same by the connection that is kept: for a few rows, many times a second."""
        with self._lock, self._file.errors(self.path):
            if not self.path.exists():
                yield None
                return
            connection = self._open()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._file.errors(self.path):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def _open(self) -> sqlite3.Connection:
        """Anew if another file lies there, or none."""
        here = self._here()
        if self._kept is not None and self._kept[0] == here:
            return self._kept[1]
        self._kept = None
        self._let_go()
        if here is None:
            self._file.make(self.path)
        connection = self._file.open(self.path, self._wait)
        self._let_go = weakref.finalize(self, connection.close)
        self._kept = (self._here(), connection)
        _WRITING.add(self)
        return connection

    def _here(self) -> tuple[int, int] | None:
        """Which file it is; None if there is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Lets the file go until the next row."""
        with self._lock:
            self._kept = None
            self._let_go()


def _close_all() -> None:
    for kept in tuple(_WRITING):
        kept.close()


# A connection must not cross a fork: rows that the child writes through it would be lost.
_WRITING: "weakref.WeakSet[KeptFile]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all)
