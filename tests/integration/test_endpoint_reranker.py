"""A reranker reads candidates to reorder them; search sees numbers only."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgraph.adapters.endpoint.reranker import EndpointReranker
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.doors.login import local
from docgraph.engine import Engine
from docgraph.model.access import AccessRule
from docgraph.model.errors import BadInput, ModelError
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from tests.support.scripted_server import Answer, Body, Server, serving
from tests.support.small_world import IDENTITY, HashedWords, document, write
from tests.support.stand_ins import CountsWords

HIDDEN = AccessRule("local", frozenset({"others"}))


def by_yes(body: Body) -> Answer:
    """A text is as relevant as it says yes."""
    rows = [
        {"index": place, "relevance_score": float(text.count("yes"))}
        for place, text in enumerate(body["documents"])
    ]
    return 200, {"results": rows[::-1]}, {}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(by_yes) as server:
        yield server


@pytest.fixture
def engine(tmp_path: Path, server: Server) -> Engine:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    with store.writes("local", "r", "main", IDENTITY) as writes:
        write(
            writes,
            [
                document("a.md", "apples apples"),
                document("b.md", "apples yes"),
                document("c.md", "apples yes yes and more words"),
                document("h.md", "apples yes yes yes secret", rule=HIDDEN),
            ],
        )
        writes.publish()
    model = EndpointReranker(server.base, "cross")
    return Engine(store, HashedWords, CountsWords, lambda: model, time.perf_counter)


@pytest.mark.requirement(16)
def test_reranking_reorders_and_changes_the_shape_in_nothing(
    engine: Engine, server: Server
) -> None:
    flat = load("flat").up_to(Seeds)
    plain = engine.retrieve(local(), "apples", flat).seeds
    ranked = engine.retrieve(local(), "apples", flat.changed("search_nodes", rerank=3)).seeds
    assert plain.ids != ranked.ids
    assert ranked.ids == ("r:c.md", "r:b.md", "r:a.md")
    assert sorted(plain.ids) == sorted(ranked.ids)
    assert dict(ranked.search)["rerank"] == "cross"
    assert dict(plain.search)["rerank"] is None
    ((path, _, body),) = server.asked
    assert path == "/v1/rerank"
    assert body["query"] == "apples"
    assert len(body["documents"]) == 3


@pytest.mark.requirement(16)
@pytest.mark.requirement(34)
def test_a_reranker_reads_nothing_that_its_reader_may_not(engine: Engine, server: Server) -> None:
    engine.retrieve(local(), "apples", load("documents").changed("search_nodes", rerank=8))
    assert "secret" not in str(server.asked)


def test_a_pipeline_that_reranks_without_a_reranker_says_what_to_do(engine: Engine) -> None:
    bare = Engine(engine.store, HashedWords, CountsWords, lambda: None, time.perf_counter)
    with pytest.raises(BadInput, match="no reranker is configured"):
        bare.retrieve(local(), "apples", load("documents").changed("search_nodes", rerank=8))


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": 0}, {"index": 1}]},
        {"results": "none"},
        [],
        {"results": [{"index": n, "relevance_score": float("nan")} for n in range(2)]},
    ],
)
def test_an_answer_that_does_not_fit_is_refused(server: Server, answer: object) -> None:
    server.script.append((200, answer, {}))
    with pytest.raises(ModelError, match="cross"):
        EndpointReranker(server.base, "cross").relevance("q", ["one", "two"])
