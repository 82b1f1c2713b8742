"""The audit log in Postgres: each row is written in a short transaction on a connection of its own,
so that writing it never waits for an ingest.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from psycopg import IsolationLevel, errors

from docgraph.adapters.postgres.address import redacted
from docgraph.adapters.postgres.connection import Connection
from docgraph.adapters.postgres.database import PACKAGE, PostgresDatabase, PostgresQueries
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.sql.audit_rows import TAKES_NO_ROW, AuditRows, differences
from docgraph.adapters.sql.database import script
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.model.errors import StoreError

# The audit log's tables, triggers and functions as the migration makes them: what the query
# `schema` of audit.sql returns for an unchanged log.

_FUNCTION = re.compile(r"^CREATE FUNCTION (\w+)\(\).*?\$\$(.*?)\$\$;", re.MULTILINE | re.DOTALL)
_TEXT, _NUMBER, _TENANT = "text not null", "bigint not null", "text C not null"
_COLUMNS = {
    "audit_entries": {
        "tenant": _TENANT,
        "number": _NUMBER,
        "time": _TEXT,
        "principal": _TEXT,
        "authenticated_by": _TEXT,
        "action": _TEXT,
        "outcome": _TEXT,
        "plan": _TEXT,
        "snapshots": _TEXT,
        "detail": _TEXT,
        "checksum": _NUMBER,
    },
    "audit_seals": {
        "tenant": _TENANT,
        "first": _NUMBER,
        "last": _NUMBER,
        "previous_digest": _TEXT,
        "digest": _TEXT,
    },
}
_OUTCOMES = "'succeeded'::text, 'started'::text, 'denied'::text, 'failed'::text"
_CONSTRAINTS = {
    "audit_entries_outcome_check": f"CHECK (outcome = ANY (ARRAY[{_OUTCOMES}]))",
    "audit_entries_pkey": "PRIMARY KEY (tenant, number)",
    "audit_seals_pkey": "PRIMARY KEY (tenant, last)",
}
_INDEXES = {
    "audit_entries_pkey": "docgraph.audit_entries USING btree (tenant, number)",
    "audit_seals_pkey": "docgraph.audit_seals USING btree (tenant, last)",
}
_PERMANENT = "BEFORE DELETE OR UPDATE OR TRUNCATE ON {} FOR EACH STATEMENT EXECUTE FUNCTION {}()"
_CONSECUTIVE = "BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION {}()"
_TRIGGERS = {
    "entries_are_permanent": _PERMANENT.format("audit_entries", "refuse_audit_change"),
    "entries_are_consecutive": _CONSECUTIVE.format("audit_entries", "require_next_entry"),
    "seals_are_permanent": _PERMANENT.format("audit_seals", "refuse_audit_change"),
    "seals_are_consecutive": _CONSECUTIVE.format("audit_seals", "require_next_seal"),
}
_FUNCTIONS = dict(_FUNCTION.findall(script(PACKAGE, "migrations/0001_baseline.sql")))
_PATH = '{"search_path=docgraph, pg_temp"}'

EXPECTED: dict[tuple[str, str], str] = {
    **{("table", table): "r p" for table in _COLUMNS},
    **{
        ("column", f"{table}.{name}"): made
        for table, columns in _COLUMNS.items()
        for name, made in columns.items()
    },
    **{("constraint", name): made for name, made in _CONSTRAINTS.items()},
    **{("index", name): f"CREATE UNIQUE INDEX {name} ON {on}" for name, on in _INDEXES.items()},
    **{("trigger", name): f"A CREATE TRIGGER {name} {made}" for name, made in _TRIGGERS.items()},
    **{("function", name): f"plpgsql f v {_PATH} {made}" for name, made in _FUNCTIONS.items()},
}


# The server's errors on our own statements after someone changed the tables.
_CHANGED_SCHEMA = (
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedFunction,
    errors.FeatureNotSupported,
)


class PostgresAuditLog:
    """Any number of threads and processes may write at once; rows of a tenant are serialised."""

    def __init__(self, pool: Pool, *, now: Callable[[], str], wait: float = 30) -> None:
        """`wait` is how many seconds a write waits for other writes."""
        self._pool = pool
        self._now = now
        self._milliseconds = str(max(1, round(wait * 1000)))  # zero would mean no timeout

    def write(self, event: AuditEvent) -> None:
        self.write_all(event.tenant, (event,))

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        with self._writing(tenant) as rows:
            # The clock is read once the lock is held, so that times are in the order of the rows.
            if not all(rows.add(event, self._now()) for event in events):
                raise StoreError(f"{redacted(self._pool.dsn)}: {TAKES_NO_ROW}")

    def seal(self, tenant: str) -> Anchor | None:
        with self._writing(tenant) as rows:
            return rows.seal()

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with self._reading() as queries:
            return AuditRows(queries, tenant).entries(last=last, principal=principal)

    def principals(self, tenant: str) -> tuple[str, ...]:
        with self._reading() as queries:
            return AuditRows(queries, tenant).principals()

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        with self._reading() as queries:
            actual = {(kind, name): text for kind, name, text in queries.rows("schema")}
            changed = tuple(differences(EXPECTED, actual))
            return AuditRows(queries, tenant).verify(anchor, changed)

    @contextmanager
    def _reading(self) -> Iterator[PostgresQueries]:
        with self._connection() as connection:
            database = PostgresDatabase(connection)
            with database.reading():
                yield database.queries("audit.sql")

    @contextmanager
    def _writing(self, tenant: str) -> Iterator[AuditRows]:
        """Read committed, whatever the server's default: each statement sees the rows of the
        transaction that it waited for."""
        with self._connection() as connection:
            connection.isolation_level = IsolationLevel.READ_COMMITTED
            connection.read_only = False
            try:
                with connection.transaction():
                    rows = AuditRows(PostgresQueries(connection, "audit.sql"), tenant)
                    locks = PostgresQueries(connection, "session.sql")
                    locks.row("lock_audit_log", tenant=rows.tenant, wait=self._milliseconds)
                    yield rows
            finally:
                if not connection.closed:
                    connection.isolation_level, connection.read_only = None, None

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with self._pool.connection() as connection:
            try:
                yield connection
            except _CHANGED_SCHEMA as error:
                where, message = redacted(self._pool.dsn), error.diag.message_primary
                raise StoreError(
                    f"{where}: this audit log is not as docgraph made it: {message}"
                ) from error
