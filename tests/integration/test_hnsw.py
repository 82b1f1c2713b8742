"""The HNSW setting: plans say that it is not exact; what is found is visible, its score exact."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.errors import BadInput
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.search_reads import Level
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings
from tests.conformance.store_rules import OVERS, vector
from tests.support.engines import make_engine
from tests.support.memory_source import MemorySource
from tests.support.postgres_server import PostgresServer

HIDDEN = AccessRule("local", frozenset({"others"}))
WORDS = ("wind", "sea", "storm", "calm", "lake", "train", "station", "snow", "rain", "night")
FILES = {
    f"{number}.md": f"# {WORDS[number % 10]} {number}\n\n## {WORDS[number // 7 % 10]}\n\n"
    + " ".join(WORDS[(number * k) % 10] for k in (3, 7, 11))
    for number in range(400)
}


def rule_for(path: str) -> AccessRule:
    """One in twenty is visible: rights thin the index out."""
    return LOCAL_ONLY if int(path.removesuffix(".md")) % 20 == 0 else HIDDEN


@pytest.fixture(scope="module")
def pool(postgres: PostgresServer) -> Iterator[Pool]:
    dsn = postgres.fresh_database()
    with closing(Pool(dsn)) as pool:
        yield pool
    postgres.drop(dsn)


@pytest.fixture(scope="module")
def engine(pool: Pool) -> Engine:
    """Filled once; nobody writes to it, and statistics of use only grow."""
    engine = on(pool, "pgvector-hnsw")
    engine.content.ingest(
        local(), MemorySource(FILES), repository="r", branch="main", rule_for=rule_for
    )
    return engine


def on(pool: Pool, index: str) -> Engine:
    store = PostgresStore(pool, now=lambda: "now", wait=5, index=index)
    return make_engine(store)


def nearest(engine: Engine, over: Level, *, roll_up: bool) -> tuple[tuple[str, int], ...]:
    with engine.content.store.open_session(local()) as reads:
        return reads.search.nearest(vector("sea storm night"), over=over, roll_up=roll_up, top=15)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("roll_up", [True, False])
def test_as_many_are_found_as_are_requested_and_scores_are_exact(
    engine: Engine, pool: Pool, over: Level, roll_up: bool
) -> None:
    found, exact = (nearest(e, over, roll_up=roll_up) for e in (engine, on(pool, "packed")))
    assert len(found) == len(exact) == 15
    with engine.content.store.open_session(local()) as reads:
        assert set(reads.graph.visible_ids(tuple(node for node, _ in found))) == {
            n for n, _ in found
        }
    known = dict(exact)
    assert all(known.get(node, score) == score for node, score in found)
    assert len(known.keys() & dict(found)) >= 12
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def test_the_index_is_used(engine: Engine, pool: Pool) -> None:
    nearest(engine, "sections", roll_up=True)
    nearest(engine, "chunks", roll_up=True)
    with pool.connection() as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        used = connection.execute(
            "SELECT indexrelname, idx_scan > 0 FROM pg_stat_user_indexes "
            "WHERE indexrelname LIKE '%hnsw%' ORDER BY indexrelname"
        ).fetchall()
    assert used == [("node_vectors_hnsw_16", True), ("vectors_hnsw_16", True)]


def test_plans_record_it_and_lexical_plans_are_exact(engine: Engine, pool: Pool) -> None:
    pipeline = load("documents")
    assert not engine.questions.retrieve(
        QuestionRequest(local(), pipeline, "sea storm")
    ).plan.constraints.exact
    words = pipeline.with_options("search_nodes", mode="bm25")
    assert engine.questions.retrieve(
        QuestionRequest(local(), words, "sea storm")
    ).plan.constraints.exact
    assert (
        on(pool, "packed")
        .questions.retrieve(QuestionRequest(local(), pipeline, "sea storm"))
        .plan.constraints.exact
    )


@pytest.mark.parametrize("name", sorted(shipped_pipelines()))
def test_every_way_of_planning_keeps_it(engine: Engine, name: str) -> None:
    assert not engine.questions.retrieve(
        QuestionRequest(local(), load(name), "sea storm")
    ).plan.constraints.exact


def test_nothing_of_it_stays_behind_in_the_session(engine: Engine, pool: Pool) -> None:
    nearest(engine, "sections", roll_up=True)
    settings = ("enable_seqscan", "enable_sort", "enable_hashjoin", "hnsw.iterative_scan")
    with pool.connection() as connection:
        now = [connection.execute("SELECT current_setting(%s)", [s]).fetchone() for s in settings]
    assert now == [("on",), ("on",), ("on",), ("off",)]


def test_a_sqlite_store_refuses_the_setting(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="for a Postgres store"):
        open_stores(Settings(str(tmp_path / "store.db"), hnsw=True))
