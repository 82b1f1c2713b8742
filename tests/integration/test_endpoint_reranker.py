"""A reranker reads candidates to reorder them; search sees numbers only."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.adapters.endpoint.reranker import EndpointReranker
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule, Clearance
from docgraph.model.document import Document
from docgraph.model.errors import BadInput, ModelError
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.store import Store
from tests.support.engines import make_engine
from tests.support.scripted_server import Answer, Body, Server, serve_script
from tests.support.small_world import IDENTITY, document, write

HIDDEN = AccessRule("local", frozenset({"others"}))


def by_yes(body: Body) -> Answer:
    """A text is as relevant as it says yes."""
    rows = [
        {"index": place, "relevance_score": float(text.count("yes"))}
        for place, text in enumerate(body["documents"])
    ]
    return 200, {"results": rows[::-1]}, {}


def engine_on(store: Store, model: EndpointReranker | None) -> Engine:
    return make_engine(store, rerank_model=lambda: model)


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(by_yes) as server:
        yield server


@pytest.fixture
def engine(tmp_path: Path, server: Server) -> Engine:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
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
    return engine_on(store, model)


@pytest.mark.requirement(16)
def test_reranking_reorders_and_changes_the_shape_in_nothing(
    engine: Engine, server: Server
) -> None:
    flat = load("flat").up_to(Seeds)
    plain = engine.questions.retrieve(QuestionRequest(local(), flat, "apples")).seeds
    ranked = engine.questions.retrieve(
        QuestionRequest(local(), flat.with_options("search_nodes", rerank=3), "apples")
    ).seeds
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
    engine.questions.retrieve(
        QuestionRequest(local(), load("documents").with_options("search_nodes", rerank=8), "apples")
    )
    assert "secret" not in str(server.asked)


LABELS = ((), ("board",), ("eu",), ("board", "eu"))
MARKS = [(labels, level) for labels in LABELS for level in range(3)]
CLEARED = replace(local(), labels=frozenset({"board", "eu"}), clearance=2)


@pytest.fixture
def marked(tmp_path: Path) -> Store:
    """A document of every marking, whose title, path and text hold its marking as a word."""
    store = SqliteStore(tmp_path / "marked.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        write(writes, [kept(*mark) for mark in MARKS])
        writes.publish()
    return store


def word(labels: Iterable[str], level: int) -> str:
    return "".join(("mark", *sorted(labels), str(level), "end"))


def kept(labels: tuple[str, ...], level: int) -> Document:
    name = word(labels, level)
    rule = AccessRule("local", frozenset({"local"}), frozenset(labels), level)
    return document(f"{name}.md", f"apples {name}", title=f"On {name}", rule=rule)


@pytest.mark.requirement(47)
@pytest.mark.parametrize(("held", "cleared"), MARKS, ids=str)
def test_no_byte_of_a_document_above_the_clearance_reaches_the_endpoint(
    marked: Store, server: Server, held: tuple[str, ...], cleared: int
) -> None:
    clearance = Clearance(frozenset(held), cleared)
    model = EndpointReranker(server.base, "cross", clearance=clearance)
    engine = engine_on(marked, model)
    pipeline = load("documents").with_options("search_nodes", rerank=20, top=20)
    found = engine.questions.retrieve(QuestionRequest(CLEARED, pipeline, "apples"))
    asked = str(server.asked)
    above = [mark for mark in MARKS if not clearance.covers(frozenset(mark[0]), mark[1])]
    for mark in MARKS:
        assert (word(*mark) in asked) == (mark not in above)
    assert len(found.seeds.ids) == len(MARKS)  # what was not sent is found all the same
    assert dict(found.plan.constraints.search).get("rerank_withheld", 0) == len(above)


@pytest.mark.requirement(47)
def test_a_context_tells_the_labels_and_the_level_of_every_item(marked: Store) -> None:
    engine = engine_on(marked, None)
    context = engine.questions.retrieve(
        QuestionRequest(CLEARED, load("documents"), "apples")
    ).context
    assert context.items
    for item in context.items:
        assert item.document_id == f"r:{word(item.labels, item.level)}.md"


@pytest.mark.requirement(47)
def test_an_endpoint_that_may_read_no_candidate_is_not_asked(marked: Store, server: Server) -> None:
    model = EndpointReranker(server.base, "cross")
    engine = engine_on(marked, model)
    search = load("documents").up_to(Seeds)
    text = f"apples {word(['board'], 1)}"
    first = engine.questions.retrieve(
        QuestionRequest(CLEARED, search.with_options("search_nodes", rerank=1), text)
    ).seeds
    assert server.asked == []
    assert first.ids == engine.questions.retrieve(QuestionRequest(CLEARED, search, text)).seeds.ids
    assert first.ranked[0].why == "hybrid rank 1, withheld from cross"


@pytest.mark.requirement(36)
@pytest.mark.requirement(47)
def test_only_what_the_reader_sees_is_counted_as_withheld(marked: Store, server: Server) -> None:
    model = EndpointReranker(server.base, "cross")
    engine = engine_on(marked, model)
    search = load("documents").up_to(Seeds).with_options("search_nodes", rerank=20)
    found = engine.questions.retrieve(QuestionRequest(local(), search, "apples")).seeds
    assert found.ids == (f"r:{word((), 0)}.md",)
    assert "rerank_withheld" not in dict(found.search)


def test_a_pipeline_that_reranks_without_a_reranker_says_what_to_do(engine: Engine) -> None:
    bare = engine_on(engine.content.store, None)
    with pytest.raises(BadInput, match="no reranker is configured"):
        bare.questions.retrieve(
            QuestionRequest(
                local(), load("documents").with_options("search_nodes", rerank=8), "apples"
            )
        )


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
