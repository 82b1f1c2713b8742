"""API keys as rows; the transaction around them is the caller's."""

from dataclasses import asdict

from docgraph.adapters.sql.database import Queries
from docgraph.model.access import ApiKey
from docgraph.model.validation import escape_unstorable, is_storable


class KeyRows:
    """Through the queries of a `keys.sql`."""

    def __init__(self, queries: Queries) -> None:
        self._sql = queries

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        row = {**asdict(key), "note": escape_unstorable(key.note)}
        self._sql.run("add_key", **row, secret_hash=secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        row = self._sql.row("find_key", id=key_id) if is_storable(key_id) else None
        return None if row is None else (ApiKey(*row[:-1]), bytes(row[-1]))

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        return tuple(ApiKey(*row) for row in self._sql.rows("keys_of_tenant", tenant=tenant))

    def remove(self, tenant: str, key_id: str) -> bool:
        return is_storable(key_id) and self._sql.run("drop_key", tenant=tenant, id=key_id) > 0
