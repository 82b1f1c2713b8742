"""The audit log of a test on Postgres, and a superuser who changes it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg

from docgraph.adapters.postgres.audit import PostgresAuditLog
from docgraph.adapters.postgres.pool import Pool
from tests.support.audit_logs import Clock, CursorResult, Execute, program, ticks
from tests.support.postgres_server import SUPERUSER, PostgresServer, name_of

_TABLES = re.compile(r"\b(entries|seals)\b")


class PostgresAuditStorage:
    refusal = psycopg.IntegrityError

    def __init__(self, server: PostgresServer, dsn: str) -> None:
        self.dsn = dsn
        self._superuser = server.dsn(name_of(dsn), SUPERUSER)
        self._pools: list[Pool] = []

    def log(self, *, wait: float = 30, now: Clock | None = None) -> PostgresAuditLog:
        """With a pool of its own, as in another process."""
        self._pools.append(Pool(self.dsn))
        return PostgresAuditLog(self._pools[-1], now=now or ticks(), wait=wait)

    def close(self) -> None:
        for pool in self._pools:
            pool.close()

    @contextmanager
    def raw(self) -> Iterator[Execute]:
        with psycopg.connect(self._superuser, options="-c search_path=docgraph") as connection:

            def run(statement: str) -> CursorResult:
                return connection.execute(_TABLES.sub(r"audit_\1", statement).encode())

            yield run

    @contextmanager
    def unguarded(self) -> Iterator[Execute]:
        with self.raw() as run:
            run("ALTER TABLE entries DISABLE TRIGGER USER; ALTER TABLE seals DISABLE TRIGGER USER")
            yield run
            made = run(
                "SELECT tgrelid::regclass, tgname FROM pg_trigger WHERE NOT tgisinternal"
                " AND tgrelid IN ('entries'::regclass, 'seals'::regclass)"
            )
            for table, name in made.fetchall():
                run(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")

    def program(self, text: str) -> Sequence[str]:
        opening = """
            from docgraph.adapters.postgres.audit import PostgresAuditLog
            from docgraph.adapters.postgres.pool import Pool
            pool = Pool(sys.argv[1])
            log = PostgresAuditLog(pool, now=lambda: "now")
            close_log = pool.close
        """
        return program(self.dsn, opening, text)
