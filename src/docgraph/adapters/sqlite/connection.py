"""Opening the store's file: pragmas, the schema's version, and translation of SQLite's errors."""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from docgraph.adapters.sql.database import DamagedRow, relations_view, script
from docgraph.model.errors import (
    DamagedStore,
    StoreBusy,
    StoreError,
    StoreFull,
    WrongSchema,
)

SCHEMA_VERSION = 8
PACKAGE = "docgraph.adapters.sqlite"
_SMALLEST = 512  # bytes of a page
_MAGIC = b"SQLite format 3\0"
APPLICATION_ID = 0x646F6367  # "docg"


# By these SQLite says that a file is not what was written.
_DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_CONSTRAINT,  # rows that docgraph writes fit its schema
)
_NO_TEXT = "a text is not UTF-8"
_REMEDY = "restore it from a backup, or ingest into a new one"


def damage_of(error: sqlite3.DatabaseError) -> DamagedRow | None:
    """None where the error is not one of the file.

    An error in a statement is: the statements of docgraph fit the schema that it makes.
    """
    if "Could not decode to UTF-8" in str(error):
        return DamagedRow(_NO_TEXT)  # SQLite's message would repeat it
    code = primary_code(error)
    if code == sqlite3.SQLITE_ERROR:
        return DamagedRow(f"it is not as docgraph made it: {_in_one_line(error)}")
    return DamagedRow(_in_one_line(error)) if code in _DAMAGE else None


def _in_one_line(error: Exception) -> str:
    """A message on the schema may repeat several lines of it."""
    return " ".join(str(error).split())


def primary_code(error: sqlite3.DatabaseError) -> int:
    """SQLite's result code; 0 for an error of Python's own module."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


class _DamageRaised:
    """Raises SQLite's errors that are errors of the file as DamagedRow. Python raises a
    UnicodeDecodeError where it cannot read the message on a damaged schema."""

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnicodeDecodeError):
            raise DamagedRow(_NO_TEXT) from error
        if isinstance(error, sqlite3.DatabaseError) and (damage := damage_of(error)) is not None:
            raise damage from error


damage_raised = _DamageRaised()


@contextmanager
def translate_errors(path: Path, kind: str = "store", remedy: str = _REMEDY) -> Iterator[None]:
    """Raises StoreErrors whose messages say what to do; `kind` is that of the file."""
    try:
        yield
    except DamagedRow as error:
        raise DamagedStore(f"{path}: this {kind} is damaged: {error}; {remedy}") from error
    except sqlite3.DatabaseError as error:
        if (damage := damage_of(error)) is not None:
            raise DamagedStore(f"{path}: this {kind} is damaged: {damage}; {remedy}") from error
        code = primary_code(error)
        if code == sqlite3.SQLITE_FULL:
            raise StoreFull(
                f"{path}: the disk is full. The last complete snapshot is intact; "
                "free some space and run the command again."
            ) from error
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreError(f"{path}: this file is not a docgraph {kind}") from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(f"{path}: another process is writing; try again") from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
            raise StoreError(f"{path}: cannot be used: {error}") from error
        raise


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing store of this schema."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=30, cached_statements=256
    )
    try:
        with damage_raised:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.create_function("compress", 1, _compress, deterministic=True)
            connection.create_function("decompress", 1, _decompress, deterministic=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _compress(text: str) -> bytes:
    """Of a document: text takes a quarter of its length, and is read as fast."""
    return zlib.compress(text.encode("utf-8"), level=3)


def _decompress(data: bytes) -> str | None:
    """None where it is damaged: a reader refuses that for its type, `verify` for its hash."""
    try:
        return zlib.decompress(data).decode("utf-8")
    except (TypeError, UnicodeDecodeError, zlib.error):
        return None


def file_state(path: Path) -> tuple[int, ...]:
    """Differs after every write to the file, also by a program that puts its times back."""
    status = path.stat()
    written = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return status.st_dev, status.st_ino, *written


def empty_log(connection: sqlite3.Connection, *, wait: int = 0) -> bool:
    """Writes the log back into the file, and empties it; False if readers or writers are in the
    way for longer than `wait` milliseconds.

    A file that is restored under a log which is not empty would get the log's pages.
    """
    connection.execute(f"PRAGMA busy_timeout = {wait}")
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def create_or_check(path: Path) -> None:
    """Creates the schema in a new file; refuses a file of another version or kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _create_file(path)
    with translate_errors(path):
        _require_page(path)
        connection = connect(path)
        try:
            if _is_empty(connection):
                connection.execute("BEGIN IMMEDIATE")
                if _is_empty(connection):
                    create_schema(connection)
                connection.execute("COMMIT")
            _check(connection, path)
        finally:
            connection.close()


def _require_page(path: Path) -> None:
    """In a file that has none, SQLite would begin a new database."""
    if 0 < path.stat().st_size < _SMALLEST:
        if _MAGIC.startswith(path.read_bytes()[: len(_MAGIC)]):
            raise DamagedRow("it is cut off")
        raise StoreError(f"{path}: this file is not a docgraph store")


def _create_file(path: Path) -> None:
    """Only its owner may read it; SQLite gives -wal and -shm files the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from error


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Read without a write lock, so that opening never waits for an ingest."""
    with damage_raised:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
    if tables == 0 and application != 0:
        raise DamagedRow("it has no tables")
    return bool(tables == 0)


def create_schema(connection: sqlite3.Connection) -> None:
    for statement in (*statements(script(PACKAGE, "schema.sql")), relations_view(PACKAGE)):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(f"{path}: this SQLite file is not a docgraph store")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise WrongSchema(
            f"{path}: written with schema {version}; this docgraph reads schema {SCHEMA_VERSION}. "
            "Ingest the sources anew into a new store (--store), or use the docgraph that wrote it."
        )


@cache
def statements(text: str) -> tuple[str, ...]:
    """Single statements, which share a transaction: executescript would commit it first."""
    complete: list[str] = []
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            complete.append(pending)
            pending = ""
    return tuple(complete)


def may_have_vectors(path: Path) -> bool:
    """Without looking whose they are: whether to load a model early. What is wrong with a file that
    cannot be read is said when it is opened."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            return opened.execute("SELECT 1 FROM document_embeddings").fetchone() is not None
    except (sqlite3.Error, UnicodeDecodeError):  # the latter where a damaged name is reported
        return True
