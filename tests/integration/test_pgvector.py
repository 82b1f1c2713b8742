"""pgvector without an index: the same bytes as packed segments, and no vectors in the process."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from docgraph.adapters.indexes.version_vectors import CachedVectors
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotSelector
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings
from tests.conformance.store_rules import OVERS, vector
from tests.interference.probes import everything
from tests.interference.store_factories import OpenedStore
from tests.interference.stores import MachineStore
from tests.support import guarded_world
from tests.support.postgres_server import PostgresServer

ASKED = ("The valve of Marie Curie", "Part of marklocalrmainbmd", "unknown")


@pytest.fixture(scope="module")
def pool(postgres: PostgresServer) -> Iterator[Pool]:
    """Documents of several readers; some HNSW indexes, which nobody here may use."""
    dsn = postgres.fresh_database()
    with closing(Pool(dsn)) as pool:
        guarded_world.fill(stock(pool, "pgvector-hnsw"))
        yield pool
    postgres.drop(dsn)


def stock(pool: Pool, index: str) -> MachineStore:
    return MachineStore(lambda: OpenedStore(opened(pool, index), lambda: None))


def opened(pool: Pool, index: str) -> PostgresStore:
    return PostgresStore(pool, now=lambda: "now", wait=5, index=index)


@pytest.mark.requirement(42)
def test_every_reader_and_question_gets_the_same_bytes_of_either_index(pool: Pool) -> None:
    packed, exact = (stock(pool, index).engine for index in ("packed", "pgvector"))
    for reader in guarded_world.READERS.values():
        assert everything(packed, reader, ASKED) == everything(exact, reader, ASKED)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("top", [1, 3, 1000])
def test_rows_that_tie_with_the_last_are_all_looked_at(pool: Pool, over: Any, top: int) -> None:
    found = []
    for index in ("packed", "pgvector"):
        with opened(pool, index).open_session(local()) as reads:
            search = reads.search
            found.append(
                [
                    search.nearest(vector(text), over=over, roll_up=roll_up, top=top)
                    for text in (*ASKED, "")
                    for roll_up in (True, False)
                ]
            )
            assert search.exact
    assert found[0] == found[1]


@pytest.mark.parametrize("index", ["pgvector", "pgvector-hnsw"])
def test_a_search_reads_no_vectors(pool: Pool, index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CachedVectors, "of", lambda *_, **__: pytest.fail("vectors"))
    store = opened(pool, index)
    with store.open_session(local()) as reads:
        for over in OVERS:
            assert reads.search.nearest(vector("valve"), over=over, roll_up=True, top=3)
    with (
        pytest.raises(pytest.fail.Exception),
        opened(pool, "packed").open_session(local()) as reads,
    ):
        reads.search.nearest(vector("valve"), over="documents", roll_up=True, top=3)


def test_an_old_snapshot_is_searched_as_it_was(pool: Pool) -> None:
    selectors = (SnapshotSelector("r", "main", 1),)
    rows = []
    for index in ("packed", "pgvector"):
        with opened(pool, index).open_session(local(), selectors) as reads:
            rows.append(
                [
                    reads.search.nearest(vector("valve"), over=over, roll_up=False, top=99)
                    for over in OVERS
                ]
            )
    assert rows[0] == rows[1]


def test_an_index_that_the_store_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(BadInput, match="'annoy' is not one of this store's: packed, pgvector"):
        open_stores(Settings("postgresql://nowhere/db", index="annoy"))
    with pytest.raises(BadInput, match="do not go together"):
        open_stores(Settings("postgresql://nowhere/db", index="pgvector", hnsw=True))
