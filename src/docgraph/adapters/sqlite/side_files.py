"""A file of its own beside the store: made whole or not at all, opened if it is one of its kind."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from docgraph.adapters.sql.database import script
from docgraph.adapters.sqlite.connection import PACKAGE, statements, translate_errors
from docgraph.model.errors import StoreError, StoreFull, WrongSchema


@dataclass(frozen=True, slots=True)
class SideFile:
    """What it is called, what its header says, and the .sql file that it is made by."""

    kind: str
    application_id: int
    version: int
    schema: str

    @contextmanager
    def errors(self, path: Path) -> Iterator[None]:
        """SQLite's errors and the system's, said of such a file."""
        with translate_errors(path):
            try:
                yield
            except sqlite3.DatabaseError as error:
                if (told := self._told(getattr(error, "sqlite_errorcode", 0) & 0xFF)) is None:
                    raise
                kind, words = told
                raise kind(f"{path}: {words.format(error)}") from error
            except OSError as error:
                raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from error

    def _told(self, code: int) -> tuple[type[StoreError], str] | None:
        mend = "restore it from a backup, or put it aside and a new one begins"
        damaged = f"this {self.kind} is damaged; {mend}"
        return {
            sqlite3.SQLITE_FULL: (
                StoreFull,
                f"the disk is full, so the {self.kind} takes no row; free some space",
            ),
            sqlite3.SQLITE_NOTADB: (StoreError, f"this file is not a docgraph {self.kind}"),
            sqlite3.SQLITE_CORRUPT: (StoreError, damaged),
            sqlite3.SQLITE_ERROR: (
                StoreError,
                f"this {self.kind} is not as docgraph made it: {{}}",
            ),
        }.get(code)

    def make(self, path: Path) -> None:
        """Under another name first, so that nobody opens half of it; several may try at once."""
        from filelock import FileLock  # it is made once, and this takes long to import

        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if path.exists():
                return
            # What a file that is gone left behind would be taken for a part of the new one.
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
        """A connection to a file that is there; `wait` is for other writers, in seconds."""
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # What is not UTF-8 another hand put there: it is to be seen, not to end the reading.
            connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            # A commit waits for no disk: a killed process loses nothing, a power cut a moment.
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
                f"{self.version}. Use the docgraph that wrote it, or put the file aside."
            )


# A side file that stays open for writing: opening it costs more than a row.


class OpenSideFile:
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
_WRITING: "weakref.WeakSet[OpenSideFile]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all)


# The file that servers on one store share, beside it: API keys, and the book of ingestions.


SERVER_FILE = SideFile(
    kind="server file",
    application_id=0x646F6373,  # "docs"
    version=1,
    schema="server_schema.sql",
)
