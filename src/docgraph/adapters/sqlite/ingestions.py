"""The book of ingestions in the server file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from docgraph.adapters.sql.ingestion_rows import IngestionRows
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.adapters.sqlite.kept_file import KeptFile
from docgraph.adapters.sqlite.server_file import SERVER_FILE
from docgraph.model.ingestion import Asker, Ingestion


class SqliteIngestions:
    def __init__(self, path: Path, *, now: Callable[[], str], clock: Callable[[], float]) -> None:
        """`clock` counts seconds for every process that shares the file, and after a restart."""
        self._file = KeptFile(SERVER_FILE, path)
        self._now = now
        self._clock = clock

    def add(self, ingestion: Ingestion) -> None:
        with self._writing() as rows:
            rows.add(ingestion)

    def get(self, tenant: str, ingestion_id: str) -> Ingestion | None:
        with self._looking() as rows:
            return None if rows is None else rows.get(tenant, ingestion_id)

    def listed(self, asker: Asker, last: int) -> tuple[Ingestion, ...]:
        with self._looking() as rows:
            return () if rows is None else rows.listed(asker, last)

    def waiting(self, asker: Asker) -> int:
        with self._looking() as rows:
            return 0 if rows is None else rows.waiting(asker)

    def claim(self, owner: str, lease: float) -> Ingestion | None:
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
            queries = SqliteQueries(connection, "ingestions.sql")
            yield IngestionRows(queries, self._clock(), self._now())

    @contextmanager
    def _looking(self) -> Iterator[IngestionRows | None]:
        with self._file.looking() as connection:
            found = None if connection is None else SqliteQueries(connection, "ingestions.sql")
            yield None if found is None else IngestionRows(found)
