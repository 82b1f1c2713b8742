"""Stores that the tests of faults open; their connections end with the test."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from tests.faults.fault_store import StoreOpener, open_store, with_password


@pytest.fixture
def open_pooled() -> Iterator[StoreOpener]:
    with ExitStack() as pools:

        def open_one(dsn: str, wait: float = 20) -> PostgresStore:
            return open_store(pools.enter_context(closing(Pool(with_password(dsn)))), wait)

        yield open_one
