"""A pool of connections for readers, each with a guard that binds the reader's rights."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import script
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sqlite.connection import (
    PACKAGE,
    connect,
    file_state,
    statements,
    translate_errors,
)


class ReaderGuard:
    """The functions that the views of one connection filter by; until `bind`, no row is visible."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._flags = self._embedded = self._summarized = b""
        self._snapshots: Mapping[int, int] = {}
        self._mined: frozenset[tuple[int, str]] = frozenset()
        connection.create_function("is_visible", 1, self._is_visible, deterministic=True)
        connection.create_function("is_embedded", 1, self._is_embedded, deterministic=True)
        connection.create_function("is_summarized", 1, self._is_summarized, deterministic=True)
        connection.create_function("in_scope", 3, self._in_scope, deterministic=True)
        connection.create_function("is_mined", 2, self._is_mined, deterministic=True)
        for statement in statements(script(PACKAGE, "visible.sql")):
            connection.execute(statement)

    def bind(
        self,
        rows: VersionTable,
        mask: npt.NDArray[np.bool_],
        snapshots: Mapping[int, int],
        embedded: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
    ) -> None:
        """`mask` says by ordinal what is visible, `snapshots` by branch which one is read; of what
        is visible, the first of `embedded` is so completely, the second by its summary alone."""
        self._flags = mask.tobytes()
        self._embedded, self._summarized = (one.tobytes() for one in embedded)
        self._snapshots = snapshots
        self._mined = frozenset(
            (branch, miner)
            for branch, number in snapshots.items()
            for miner in rows.snapshots[branch, number].miners
        )

    def release(self) -> None:
        self._flags = self._embedded = self._summarized = b""
        self._snapshots, self._mined = {}, frozenset()

    def _is_visible(self, ordinal: int) -> int:
        return self._flags[ordinal] if 0 <= ordinal < len(self._flags) else 0

    def _is_embedded(self, ordinal: int) -> int:
        return self._embedded[ordinal] if 0 <= ordinal < len(self._embedded) else 0

    def _is_summarized(self, ordinal: int) -> int:
        return self._summarized[ordinal] if 0 <= ordinal < len(self._summarized) else 0

    def _in_scope(self, branch: int, born: int, died: int) -> int:
        return int(branch in self._snapshots and born <= self._snapshots[branch] < died)

    def _is_mined(self, branch: int, miner: str) -> int:
        return (branch, miner) in self._mined


MOST_IDLE = 8  # connections

FileId = tuple[int, ...]  # a connection belongs to a process, and to a file as it was written


class Reader:
    """A pooled connection with its guard."""

    def __init__(self, path: Path, file_id: FileId) -> None:
        self.file_id = file_id
        self.connection = connect(path)
        self.connection.execute("PRAGMA cache_size = -8000")  # KiB
        try:
            self.guard = ReaderGuard(self.connection)
        except BaseException:
            self.connection.close()
            raise


class ReaderPool:
    """Any number of readers at once, in any thread; no rights or transaction pass to the next."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[Reader] = []
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, _close_all, self._idle)

    def file_id(self) -> FileId:
        """A connection is not used after a fork, or when the file was replaced or overwritten: it
        keeps pages that SQLite takes for current until its log changes. A checkpoint also writes
        the file; then connections are opened once more than needed.
        """
        with translate_errors(self._path):
            try:
                return os.getpid(), *file_state(self._path)
            except OSError as error:
                raise sqlite3.OperationalError(f"unable to open database file: {error}") from error

    @contextmanager
    def reading(self, file_id: FileId) -> Iterator[Reader]:
        """One read transaction: the store does not change while it is open."""
        with translate_errors(self._path):
            reader = self.take(file_id)
            try:
                reader.connection.execute("BEGIN")
                yield reader
                reader.connection.execute("ROLLBACK")
            except BaseException:
                reader.connection.close()
                raise
            self._return(reader)

    def take(self, file_id: FileId) -> Reader:
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.file_id == file_id:
                    return reader
                if reader.file_id[0] == file_id[0]:
                    reader.connection.close()
        return Reader(self._path, file_id)

    def _return(self, reader: Reader) -> None:
        reader.guard.release()
        with self._lock:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(reader)
                return
        reader.connection.close()


def _close_all(idle: list[Reader]) -> None:
    for reader in idle:
        if reader.file_id[0] == os.getpid():
            reader.connection.close()
