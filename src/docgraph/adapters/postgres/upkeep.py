"""What can wait: statistics, indexes, tidying up. It never makes a command fail that is done."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.errors import LockNotAvailable, QueryCanceled

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.adapters.postgres.hnsw import Hnsw

_LOG = logging.getLogger("docgraph.postgres")


class Upkeep:
    """Of one connection, outside of any transaction. What is put off, the next ingest tries."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._sql = database.queries("upkeep.sql")

    def count_rows(self) -> None:
        with self._patience("statistics"):
            if self._sql.row("has_grown") is not None:
                self._sql.run("count_anew")

    def tidy_up(self) -> None:
        with self._patience("tidying up"):
            self._sql.run("tidy_up")

    def index(self, dimensions: int) -> None:
        with self._patience("the HNSW indexes"):
            Hnsw(self._database.connection).make(dimensions)

    @contextmanager
    def _patience(self, what: str) -> Iterator[None]:
        """However long it takes, unless somebody stands in its way."""
        self._sql.run("take_the_time")
        try:
            yield
        except (LockNotAvailable, QueryCanceled) as error:
            _LOG.warning("%s: put off until the next ingest: %s", what, error.diag.message_primary)
        finally:
            if not self._database.connection.closed:
                self._sql.run("lock_time_as_before")
                self._sql.run("time_as_before")
