"""The audit log in Postgres: every row has a short transaction of its own, on a connection of its
own, so that writing it never waits for an ingest."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from psycopg import IsolationLevel, errors

from docgraph.adapters.postgres.address import shown
from docgraph.adapters.postgres.audit_made import MADE
from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.database import PostgresDatabase, PostgresQueries
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows, differences
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.model.errors import StoreError

# What the server says to our own statements when somebody has changed the tables under them.
_NOT_AS_MADE = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedFunction,
    errors.FeatureNotSupported,
)


class PostgresAudit:
    """Any number of threads and processes may write at once: those of a tenant take turns."""

    def __init__(self, pool: Pool, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a row queues behind rows of others."""
        self._pool = pool
        self._now = now
        self._milliseconds = str(max(1, round(wait * 1000)))  # none would be for ever

    def write(self, event: AuditEvent) -> None:
        with self._writing(event.tenant) as rows:
            # The clock is read when it is this row's turn, so that times stand in the rows' order.
            if not rows.add(event, self._now()):
                raise StoreError(f"{shown(self._pool.dsn)}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        with self._writing(tenant) as rows:
            return rows.seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._reading() as queries:
            return AuditRows(queries, tenant).entries(last=last, principal=principal)

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._reading() as queries:
            found = {(kind, name): made for kind, name, made in queries.rows("schema")}
            changed = tuple(differences(MADE, found))
            return AuditRows(queries, tenant).verify(anchor, changed)

    @contextmanager
    def _reading(self) -> Iterator[PostgresQueries]:
        with self._lent() as connection:
            database = PostgresDatabase(connection)
            with database.reading():
                yield database.queries("audit.sql")

    @contextmanager
    def _writing(self, tenant: str) -> Iterator[AuditRows]:
        """Whatever the server prefers, each statement sees all that was committed before it: what
        the one ahead in the queue wrote, too."""
        with self._lent() as connection:
            connection.isolation_level = IsolationLevel.READ_COMMITTED
            connection.read_only = False
            try:
                with connection.transaction():
                    queries = PostgresQueries(connection, "audit.sql")
                    rows = AuditRows(queries, tenant)
                    queries.row("take_turns", tenant=rows.tenant, wait=self._milliseconds)
                    yield rows
            finally:
                if not connection.closed:
                    connection.isolation_level, connection.read_only = None, None

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        with self._pool.connection() as connection:
            try:
                yield connection
            except _NOT_AS_MADE as error:
                where, told = shown(self._pool.dsn), error.diag.message_primary
                raise StoreError(
                    f"{where}: this audit log is not as docgraph made it: {told}"
                ) from error
