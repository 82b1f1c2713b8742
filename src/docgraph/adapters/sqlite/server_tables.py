"""The audit log in a SQLite file of its own, so that writing it never waits for an ingest."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows, differences
from docgraph.adapters.sql.database import load_queries
from docgraph.adapters.sql.job_rows import IngestionRows
from docgraph.adapters.sql.key_rows import KeyRows
from docgraph.adapters.sqlite.database import SQLITE, SqliteQueries
from docgraph.adapters.sqlite.side_files import SERVER_FILE, OpenSideFile, SideFile
from docgraph.model.access import ApiKey
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict, verify_chain
from docgraph.model.errors import StoreError
from docgraph.model.ingest_job import IngestJob, JobOwner

# The audit log's file, and what is not in it as it was made.


AUDIT_LOG = SideFile(
    kind="audit log",
    application_id=0x646F6361,  # "doca"
    version=1,
    schema="audit_schema.sql",
)
_SQL = load_queries(SQLITE, "audit.sql")


def schema_differences(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """What is not as it was made: `table`, `trigger` or the like, and the same in words."""
    with closing(sqlite3.connect(":memory:")) as untouched:
        AUDIT_LOG.create(untouched)
        made = _schema(untouched)
    yield from differences(made, _schema(connection))


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    return {(kind, name): sql for kind, name, sql in connection.execute(_SQL["schema"])}


class SqliteAudit:
    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a row queues behind rows of other processes."""
        self._file = OpenSideFile(AUDIT_LOG, path, wait)
        self._now = now

    def write(self, event: AuditEvent) -> None:
        with self._file.writing() as connection:
            # The clock is read inside the transaction, so that times stand in the rows' order.
            if not _rows(connection, event.tenant).add(event, self._now()):
                raise StoreError(f"{self._file.path}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        if not self._file.path.exists():
            return None
        with self._file.writing() as connection:
            return _rows(connection, tenant).seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._file.reading() as connection:
            if connection is None:
                return ()
            return _rows(connection, tenant).entries(last=last, principal=principal)

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._file.reading() as connection:
            if connection is None:
                return verify_chain(tenant, (), lambda _above, _last: (), anchor)
            return _rows(connection, tenant).verify(anchor, tuple(schema_differences(connection)))

    def close(self) -> None:
        """Lets the file go until the next row."""
        self._file.close()


def _rows(connection: sqlite3.Connection, tenant: str) -> AuditRows:
    return AuditRows(SqliteQueries(connection, "audit.sql"), tenant)


# The book of ingestions in the server file.


class SqliteIngestions:
    def __init__(self, path: Path, *, now: Callable[[], str], clock: Callable[[], float]) -> None:
        """`clock` counts seconds for every process that shares the file, and after a restart."""
        self._file = OpenSideFile(SERVER_FILE, path)
        self._now = now
        self._clock = clock

    def add(self, ingestion: IngestJob) -> None:
        with self._writing() as rows:
            rows.add(ingestion)

    def get(self, tenant: str, ingestion_id: str) -> IngestJob | None:
        with self._looking() as rows:
            return None if rows is None else rows.get(tenant, ingestion_id)

    def list_jobs(self, asker: JobOwner, last: int) -> tuple[IngestJob, ...]:
        with self._looking() as rows:
            return () if rows is None else rows.list_jobs(asker, last)

    def pending(self, asker: JobOwner) -> int:
        with self._looking() as rows:
            return 0 if rows is None else rows.pending(asker)

    def claim(self, owner: str, lease: float) -> IngestJob | None:
        if not self._file.path.exists():
            return None
        with self._writing() as rows:
            return rows.claim(owner, lease)

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        with self._writing() as rows:
            return rows.renew(ingestion_id, owner, lease, progress)

    def finish(self, ingestion_id: str, owner: str, *, result: str = "", error: str = "") -> bool:
        with self._writing() as rows:
            return rows.finish(ingestion_id, owner, result, error)

    def release(self, ingestion_id: str, owner: str, *, counted: bool = False) -> bool:
        with self._writing() as rows:
            return rows.release(ingestion_id, owner, counted)

    @contextmanager
    def _writing(self) -> Iterator[IngestionRows]:
        """The clock is read when it is this one's turn."""
        with self._file.writing() as connection:
            queries = SqliteQueries(connection, "server.sql")
            yield IngestionRows(queries, self._clock(), self._now())

    @contextmanager
    def _looking(self) -> Iterator[IngestionRows | None]:
        with self._file.looking() as connection:
            found = None if connection is None else SqliteQueries(connection, "server.sql")
            yield None if found is None else IngestionRows(found)


# API keys in the server file.


class SqliteKeys:
    def __init__(self, path: Path) -> None:
        self._file = OpenSideFile(SERVER_FILE, path)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._writing() as rows:
            rows.add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._looking() as rows:
            return None if rows is None else rows.find(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._looking() as rows:
            return () if rows is None else rows.list_keys(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        if not self._file.path.exists():
            return False
        with self._writing() as rows:
            return rows.remove(tenant, key_id)

    @contextmanager
    def _writing(self) -> Iterator[KeyRows]:
        with self._file.writing() as connection:
            yield KeyRows(SqliteQueries(connection, "server.sql"))

    @contextmanager
    def _looking(self) -> Iterator[KeyRows | None]:
        with self._file.looking() as connection:
            found = None if connection is None else SqliteQueries(connection, "server.sql")
            yield None if found is None else KeyRows(found)
