"""API keys in Postgres."""

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.server_tables import ServerTables
from docgraph.adapters.sql.key_rows import KeyRows
from docgraph.model.api_key import ApiKey


class PostgresKeys:
    def __init__(self, pool: Pool) -> None:
        self._tables = ServerTables(pool)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._tables.as_owner() as database:
            KeyRows(database.queries("keys.sql")).add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._tables.as_owner() as database:
            return KeyRows(database.queries("keys.sql")).find(key_id)

    def listed(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._tables.of_tenant(tenant) as database:
            return KeyRows(database.queries("keys.sql")).listed(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        with self._tables.as_owner() as database:
            return KeyRows(database.queries("keys.sql")).remove(tenant, key_id)
