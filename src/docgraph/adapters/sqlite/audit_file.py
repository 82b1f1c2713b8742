"""The audit log's file: made whole or not at all, opened if it is one, checked for meddling."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from docgraph.adapters.named_queries import named_queries, script
from docgraph.adapters.sql.audit_rows import differences
from docgraph.adapters.sqlite.connection import PACKAGE, plain_errors, statements
from docgraph.model.errors import StoreError, StoreFull, WrongSchema

APPLICATION_ID = 0x646F6361  # "doca"
SCHEMA_VERSION = 1
_SQL = named_queries(PACKAGE, "audit.sql")


@contextmanager
def audit_errors(path: Path) -> Iterator[None]:
    """SQLite's errors and the system's, said of an audit log."""
    with plain_errors(path):
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_FULL:
                raise StoreFull(
                    f"{path}: the disk is full, so the audit log takes no row; free some space"
                ) from error
            if code == sqlite3.SQLITE_NOTADB:
                raise StoreError(f"{path}: this file is not a docgraph audit log") from error
            if code == sqlite3.SQLITE_CORRUPT:
                raise StoreError(
                    f"{path}: this audit log is damaged; restore it from a backup, "
                    "or put it aside and a new one begins"
                ) from error
            if code == sqlite3.SQLITE_ERROR:
                raise StoreError(
                    f"{path}: this audit log is not as docgraph made it: {error}"
                ) from error
            raise
        except OSError as error:
            raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from error


def make_audit(path: Path) -> None:
    """Under another name first, so that nobody opens half a log; several may try at once."""
    from filelock import FileLock  # a log is made once, and this takes long to import

    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if path.exists():
            return
        # What a log that is gone left behind would be taken for a part of the new one.
        for rest in ("-wal", "-shm", ".new", ".new-wal", ".new-shm", ".new-journal"):
            Path(f"{path}{rest}").unlink(missing_ok=True)
        unfinished = Path(f"{path}.new")
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN")
            _create(connection)
            connection.execute("COMMIT")
        unfinished.replace(path)


def _create(connection: sqlite3.Connection) -> None:
    for statement in statements(script(PACKAGE, "audit_schema.sql")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def open_audit(path: Path, wait: float) -> sqlite3.Connection:
    """A connection to a log that is there; `wait` is for other writers, in seconds."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # What is not UTF-8 was put there by another hand: it is to be seen, not to end the reading.
        connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        # A commit waits for no disk: a killed process loses nothing, a power cut the last moments.
        connection.execute("PRAGMA synchronous = NORMAL")
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(f"{path}: this SQLite file is not a docgraph audit log")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise WrongSchema(
            f"{path}: an audit log of schema {version}; this docgraph reads schema "
            f"{SCHEMA_VERSION}. Use the docgraph that wrote it, or put the file aside."
        )


def meddled(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """What is not as it was made: `table`, `trigger` or the like, and the same in words."""
    with closing(sqlite3.connect(":memory:")) as untouched:
        _create(untouched)
        made = _schema(untouched)
    yield from differences(made, _schema(connection))


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    return {(kind, name): sql for kind, name, sql in connection.execute(_SQL["schema"])}
