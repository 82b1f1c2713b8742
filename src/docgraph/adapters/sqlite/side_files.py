"""SQLite files beside the store: created atomically, and checked when they are opened."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from docgraph.adapters.sql.database import script
from docgraph.adapters.sqlite.connection import (
    PACKAGE,
    damage_raised,
    empty_log,
    file_state,
    primary_code,
    statements,
    translate_errors,
)
from docgraph.model.errors import StoreError, StoreFull, WrongSchema

_REMEDY = "restore it from a backup, or move it away and a new one begins"


@dataclass(frozen=True, slots=True)
class SideFile:
    """A kind of file: its name in messages, its header, and the .sql file of its schema."""

    kind: str
    application_id: int
    version: int
    schema: str

    @contextmanager
    def errors(self, path: Path) -> Iterator[None]:
        """Translates errors of SQLite and of the system into messages on this kind of file."""
        with translate_errors(path, self.kind, _REMEDY):
            try:
                yield
            except sqlite3.DatabaseError as error:
                if primary_code(error) != sqlite3.SQLITE_FULL:
                    raise
                raise StoreFull(
                    f"{path}: the disk is full, so the {self.kind} takes no row; free some space"
                ) from error
            except OSError as error:
                raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from error

    def make(self, path: Path) -> None:
        """Under another name first, so that nobody opens half of it. Safe with several at once."""
        from filelock import FileLock  # a slow import, needed once

        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", mode=0o600):
            if path.exists():
                return
            # SQLite would read remains of a removed file as parts of the new one.
            for rest in ("-wal", "-shm", ".new", ".new-wal", ".new-shm", ".new-journal"):
                Path(f"{path}{rest}").unlink(missing_ok=True)
            unfinished = Path(f"{path}.new")
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("BEGIN")
                self.create(connection)
                connection.execute("COMMIT")
            unfinished.replace(path)

    def create(self, connection: sqlite3.Connection) -> None:
        for statement in statements(script(PACKAGE, self.schema)):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self.application_id}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def open(self, path: Path, wait: float) -> sqlite3.Connection:
        """A connection to an existing file; `wait` is for other writers, in seconds."""
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # docgraph writes UTF-8 only; other bytes are shown escaped instead of ending a read.
            connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            # A commit does not wait for the disk: a killed process loses nothing, a power cut the
            # last rows.
            with damage_raised:
                connection.execute("PRAGMA synchronous = NORMAL")
                self._check(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection, path: Path) -> None:
        if connection.execute("PRAGMA application_id").fetchone()[0] != self.application_id:
            raise StoreError(f"{path}: this SQLite file is not a docgraph {self.kind}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != self.version:
            raise WrongSchema(
                f"{path}: {self.kind} of schema {version}; this docgraph reads schema "
                f"{self.version}. Move the file away and a new one begins, or use the docgraph "
                "that wrote it."
            )


class OpenSideFile:
    """A file with one connection that stays open, since opening costs more than writing a row.

    The file is created with the first row. Any number of threads and processes may write at once.
    """

    def __init__(self, file: SideFile, path: Path, wait: float = 30) -> None:
        """`wait` is how many seconds a write waits for writes of other processes."""
        self.path = path
        self._file = file
        self._wait = wait
        self._lock = threading.Lock()
        self._current: tuple[object, sqlite3.Connection] | None = None
        self._close: Callable[[], object] = lambda: None

    @contextmanager
    def read_transaction(self) -> Iterator[sqlite3.Connection | None]:
        """On a connection of its own, which delays no writer; None before the first row."""
        with self._file.errors(self.path):
            if not self.path.exists():
                yield None
                return
            with closing(self._file.open(self.path, self._wait)) as connection:
                connection.execute("BEGIN")
                yield connection

    @contextmanager
    def short_read_transaction(self) -> Iterator[sqlite3.Connection | None]:
        """On the open connection, for a few rows many times a second; None before the first row."""
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
    def write_transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._file.errors(self.path):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def empty_log(self) -> None:
        """Where nobody else is reading or writing; else the next change does it."""
        with (
            self._lock,
            self._file.errors(self.path),
            closing(self._file.open(self.path, 0)) as connection,
        ):
            empty_log(connection)

    def _open(self) -> sqlite3.Connection:
        """A new connection if the file was replaced, overwritten or removed."""
        file = self._file_id()
        if self._current is not None and self._current[0] == file:
            return self._current[1]
        self._current = None
        self._close()
        if file is None:
            self._file.make(self.path)
        connection = self._file.open(self.path, self._wait)
        self._close = weakref.finalize(self, connection.close)
        self._current = (self._file_id(), connection)
        _OPEN.add(self)
        return connection

    def _file_id(self) -> tuple[int, ...] | None:
        """None if there is no file."""
        try:
            return file_state(self.path)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """Closes the connection until the next row."""
        with self._lock:
            self._current = None
            self._close()


def _close_all() -> None:
    for file in tuple(_OPEN):
        file.close()


# A connection must not cross a fork: rows that the child writes through it would be lost.
_OPEN: "weakref.WeakSet[OpenSideFile]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all)


# The file that servers on one store share: API keys and ingest jobs.
SERVER_FILE = SideFile(
    kind="server file",
    application_id=0x646F6373,  # "docs"
    version=3,
    schema="server_schema.sql",
)
