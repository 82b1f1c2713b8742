"""Counting and listing relations: linear in the documents, and never all edges in memory."""

import tracemalloc
from pathlib import Path

import pytest

from benchmarks.cheap_engine import cheap_engine
from benchmarks.generated_pages import GeneratedPages
from benchmarks.services import Services
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.edge import Relationship
from tests.support.growth import LINEAR, TIMES, growth

DOCUMENTS = 60


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Services]:
    """By the number of documents."""
    return {
        many: _engine(tmp_path_factory.mktemp("store") / "s.db", many)
        for many in (DOCUMENTS, TIMES * DOCUMENTS)
    }


def _engine(store: Path, documents: int) -> Services:
    engine = cheap_engine(store)
    engine.content.ingest(
        local(),
        GeneratedPages(documents),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    return engine


@pytest.mark.requirement(3)
def test_counting_relations_takes_time_in_proportion_to_documents(
    engines: dict[int, Services],
) -> None:
    assert growth(lambda many: engines[many].content.relation_counts(local()), DOCUMENTS) < LINEAR


@pytest.mark.requirement(3)
def test_listing_relations_takes_no_more_memory_for_more_documents(
    engines: dict[int, Services],
) -> None:
    few, many = (_peak(engines[size]) for size in (DOCUMENTS, TIMES * DOCUMENTS))
    assert many < 3 * few


def _peak(engine: Services) -> int:
    """Bytes beyond what is in use before, while each edge is looked at and dropped."""
    counted, peak = [0], 0

    def visit(_: Relationship) -> None:
        counted[0] += 1

    for _ in range(2):  # caches are filled by the first
        counted[:] = [0]
        tracemalloc.start()
        engine.content.visit_relations(local(), visit)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert counted[0] > 0
    return peak
