"""Stores that the tests of faults open; their connections end with the test."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from tests.faults.world import Opened, open_store, secretly


@pytest.fixture
def opened() -> Iterator[Opened]:
    with ExitStack() as pools:

        def opened_store(dsn: str, wait: float = 20) -> PostgresStore:
            return open_store(pools.enter_context(closing(Pool(secretly(dsn)))), wait)

        yield opened_store
