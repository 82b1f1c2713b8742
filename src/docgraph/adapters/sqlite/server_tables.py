"""The audit log, ingest jobs and API keys in SQLite files beside the store.

They are files of their own, so that writing them never waits for an ingest.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows
from docgraph.adapters.sql.server_rows import ApiKeyRows, IngestJobRows, server_problems
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.adapters.sqlite.file_checks import file_problems
from docgraph.adapters.sqlite.side_files import SERVER_FILE, OpenSideFile, SideFile
from docgraph.model.access import ApiKey
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict, verify_chain
from docgraph.model.errors import DamagedStore, StoreError
from docgraph.model.ingest_job import IngestJob, JobOwner
from docgraph.ports.cancellation import begin_commit

AUDIT_LOG = SideFile(
    kind="audit log",
    application_id=0x646F6361,  # "doca"
    version=3,
    schema="audit_schema.sql",
)


def server_file_problems(path: Path) -> Iterator[str]:
    """For `verify`: whether keys and jobs are as they were written."""
    try:
        with OpenSideFile(SERVER_FILE, path).read_transaction() as connection:
            if connection is None:
                return
            yield from (message for _, message in file_problems(connection, SERVER_FILE.create))
            yield from server_problems(SqliteQueries(connection, "server.sql"))
    except DamagedStore as error:
        yield str(error)


class SqliteAuditLog:
    def __init__(self, path: Path, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a write waits for writes of other processes."""
        self._file = OpenSideFile(AUDIT_LOG, path, wait)
        self._now = now

    def write(self, event: AuditEvent) -> None:
        self.write_all(event.tenant, (event,))

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        with self._file.write_transaction() as connection:
            rows = _rows(connection, tenant)
            # The clock is read inside the transaction, so that times are in the order of the rows.
            if not all(rows.add(event, self._now()) for event in events):
                raise StoreError(f"{self._file.path}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        if not self._file.path.exists():
            return None
        with self._file.write_transaction() as connection:
            return _rows(connection, tenant).seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._file.read_transaction() as connection:
            if connection is None:
                return ()
            return _rows(connection, tenant).entries(last=last, principal=principal)

    def principals(self, tenant: str) -> tuple[str, ...]:
        with self._file.read_transaction() as connection:
            return () if connection is None else _rows(connection, tenant).principals()

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._file.read_transaction() as connection:
            if connection is None:
                return verify_chain(tenant, (), lambda _above, _last: (), anchor)
            problems = tuple(file_problems(connection, AUDIT_LOG.create))
            return _rows(connection, tenant).verify(anchor, problems)

    def close(self) -> None:
        """Closes the file until the next row."""
        self._file.close()


def _rows(connection: sqlite3.Connection, tenant: str) -> AuditRows:
    return AuditRows(SqliteQueries(connection, "audit.sql"), tenant)


class SqliteIngestJobQueue:
    def __init__(self, path: Path, *, now: Callable[[], str], clock: Callable[[], float]) -> None:
        """`clock` gives seconds that every process on the file agrees on, also after a restart."""
        self._file = OpenSideFile(SERVER_FILE, path)
        self._now = now
        self._clock = clock

    def add(self, job: IngestJob) -> None:
        with self._writing() as rows:
            rows.add(job)
            begin_commit()

    def get(self, tenant: str, job_id: str) -> IngestJob | None:
        with self._reading() as rows:
            return None if rows is None else rows.get(tenant, job_id)

    def list_jobs(self, owner: JobOwner, last: int) -> tuple[IngestJob, ...]:
        with self._reading() as rows:
            return () if rows is None else rows.list_jobs(owner, last)

    def pending(self, owner: JobOwner) -> int:
        with self._reading() as rows:
            return 0 if rows is None else rows.pending(owner)

    def claim(self, worker: str, lease: float) -> IngestJob | None:
        if not self._file.path.exists():
            return None
        with self._writing() as rows:
            return rows.claim(worker, lease)

    def renew(self, job_id: str, worker: str, lease: float, progress: str) -> bool:
        with self._writing() as rows:
            return rows.renew(job_id, worker, lease, progress)

    def finish(self, job_id: str, worker: str, *, result: str = "", error: str = "") -> bool:
        with self._writing() as rows:
            return rows.finish(job_id, worker, result, error)

    def release(self, job_id: str, worker: str, *, counted: bool = False) -> bool:
        with self._writing() as rows:
            return rows.release(job_id, worker, counted)

    @contextmanager
    def _writing(self) -> Iterator[IngestJobRows]:
        """The clock is read once the write lock is held."""
        with self._file.write_transaction() as connection:
            queries = SqliteQueries(connection, "server.sql")
            yield IngestJobRows(queries, self._clock(), self._now())

    @contextmanager
    def _reading(self) -> Iterator[IngestJobRows | None]:
        with self._file.short_read_transaction() as connection:
            queries = None if connection is None else SqliteQueries(connection, "server.sql")
            yield None if queries is None else IngestJobRows(queries)


class SqliteApiKeyStore:
    def __init__(self, path: Path) -> None:
        self._file = OpenSideFile(SERVER_FILE, path)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._writing() as rows:
            rows.add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._reading() as rows:
            return None if rows is None else rows.find(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._reading() as rows:
            return () if rows is None else rows.list_keys(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        if not self._file.path.exists():
            return False
        with self._writing() as rows:
            return rows.remove(tenant, key_id)

    @contextmanager
    def _writing(self) -> Iterator[ApiKeyRows]:
        """A key that is removed is removed from the file too, not from its log alone."""
        with self._file.write_transaction() as connection:
            yield ApiKeyRows(SqliteQueries(connection, "server.sql"))
        self._file.empty_log()

    @contextmanager
    def _reading(self) -> Iterator[ApiKeyRows | None]:
        with self._file.short_read_transaction() as connection:
            queries = None if connection is None else SqliteQueries(connection, "server.sql")
            yield None if queries is None else ApiKeyRows(queries)
