"""API keys in the server file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docgraph.adapters.sql.key_rows import KeyRows
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.adapters.sqlite.kept_file import KeptFile
from docgraph.adapters.sqlite.server_file import SERVER_FILE
from docgraph.model.api_key import ApiKey


class SqliteKeys:
    def __init__(self, path: Path) -> None:
        self._file = KeptFile(SERVER_FILE, path)

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        with self._writing() as rows:
            rows.add(key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        with self._looking() as rows:
            return None if rows is None else rows.find(key_id)

    def listed(self, tenant: str) -> tuple[ApiKey, ...]:
        with self._looking() as rows:
            return () if rows is None else rows.listed(tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        if not self._file.path.exists():
            return False
        with self._writing() as rows:
            return rows.remove(tenant, key_id)

    @contextmanager
    def _writing(self) -> Iterator[KeyRows]:
        with self._file.writing() as connection:
            yield KeyRows(SqliteQueries(connection, "keys.sql"))

    @contextmanager
    def _looking(self) -> Iterator[KeyRows | None]:
        with self._file.looking() as connection:
            found = None if connection is None else SqliteQueries(connection, "keys.sql")
            yield None if found is None else KeyRows(found)
