"""The book of ingestions in Postgres."""

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.server_tables import ServerTables
from docgraph.adapters.sql.ingestion_rows import IngestionRows
from docgraph.model.ingestion import Asker, Ingestion


class PostgresIngestions:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, ingestion: Ingestion) -> None:
        with self._tables.as_owner() as database:
            IngestionRows(database.queries("ingestions.sql")).add(ingestion)

    def get(self, tenant: str, ingestion_id: str) -> Ingestion | None:
        with self._tables.of_tenant(tenant) as database:
            return IngestionRows(database.queries("ingestions.sql")).get(tenant, ingestion_id)

    def listed(self, asker: Asker, last: int) -> tuple[Ingestion, ...]:
        with self._tables.of_tenant(asker.tenant) as database:
            return IngestionRows(database.queries("ingestions.sql")).listed(asker, last)

    def waiting(self, asker: Asker) -> int:
        with self._tables.of_tenant(asker.tenant) as database:
            return IngestionRows(database.queries("ingestions.sql")).waiting(asker)

    def claim(self, owner: str, lease: float) -> Ingestion | None:
        with self._tables.as_owner() as database:
            return IngestionRows(database.queries("ingestions.sql")).claim(owner, lease)

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("ingestions.sql"))
            return rows.renew(ingestion_id, owner, lease, progress)

    def finish(self, ingestion_id: str, owner: str, *, result: str = "", error: str = "") -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("ingestions.sql"))
            return rows.finish(ingestion_id, owner, result, error)

    def release(self, ingestion_id: str, owner: str, *, counted: bool = False) -> bool:
        with self._tables.as_owner() as database:
            rows = IngestionRows(database.queries("ingestions.sql"))
            return rows.release(ingestion_id, owner, counted)
