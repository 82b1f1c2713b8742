"""Postgres for tests that ask for it: one server in each test process, started when needed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> "Iterator[PostgresServer]":
    """Shared: tests make databases in it and leave the server itself alone."""
    from tests.support.postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture
def database(postgres: "PostgresServer") -> Iterator[str]:
    """The address of a database with current tables and nothing in them."""
    dsn = postgres.fresh_database()
    yield dsn
    postgres.drop(dsn)


@pytest.fixture
def blank_database(postgres: "PostgresServer") -> Iterator[str]:
    """As a database administrator hands it over: the extension is there, and no tables."""
    dsn = postgres.fresh_database(migrated=False)
    yield dsn
    postgres.drop(dsn)


@pytest.fixture(scope="module")
def own_postgres() -> "Iterator[PostgresServer]":
    """A server that the tests of one module may stop, kill and misuse."""
    from tests.support.postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.close()
