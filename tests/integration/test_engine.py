"""Invalid input is refused by the engine before anything is read."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.errors import BadInput, WrongEmbedder
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.testing.small_store import DIMENSIONS, HashedWords
from tests.support.engines import make_engine
from tests.support.memory_source import MemorySource
from tests.support.stored_content import stored_content


class OtherWords(HashedWords):
    identity = EmbedderIdentity("other-words", "1" * 64, DIMENSIONS)


def engine_with(path: Path, embedder: type[HashedWords]) -> Engine:
    store = SqliteStore(path, now=lambda: "now")
    return make_engine(store, embedder=embedder)


def ingest(engine: Engine, text: str = "# Fuel\n\nIt burns.\n", repository: str = "r") -> None:
    engine.content.ingest(
        local(),
        MemorySource({"a.md": text}),
        repository=repository,
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )


def test_a_question_with_another_embedder_is_refused(tmp_path: Path) -> None:
    ingest(engine_with(tmp_path / "s.db", HashedWords))
    other = engine_with(tmp_path / "s.db", OtherWords)
    with pytest.raises(WrongEmbedder, match=r"embedded by hashed-words .* by other-words"):
        other.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel"))


class NoEmbedder(HashedWords):
    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        raise AssertionError(texts)


@pytest.mark.parametrize("stored_by", [NoEmbedder, OtherWords])
def test_a_lexical_search_embeds_nothing_and_finds_the_same(
    tmp_path: Path, stored_by: type[HashedWords]
) -> None:
    """Whichever embedder the snapshot has. A plan holds its vector, so there it is embedded."""
    usual = HashedWords if stored_by is NoEmbedder else OtherWords
    ingest(engine_with(tmp_path / "s.db", usual))
    lexical = load("documents").with_options("search_nodes", mode="bm25")
    request = QuestionRequest(local(), lexical, "Does fuel burn?")
    planned = engine_with(tmp_path / "s.db", usual).questions.plan(request)
    silent = engine_with(tmp_path / "s.db", NoEmbedder)
    found = silent.questions.search(request)
    assert found.seeds == planned.seeds
    assert found.seeds.ids == ("r:a.md",)
    assert len(planned.plan.query_vector) == DIMENSIONS
    with pytest.raises(AssertionError, match="Does fuel burn"):
        silent.questions.plan(request)


def test_a_lexical_search_with_a_reranker_embeds_the_question(tmp_path: Path) -> None:
    """The reranker reads the chunk that is most similar to it."""
    ingest(engine_with(tmp_path / "s.db", HashedWords))
    reranked = load("documents").with_options("search_nodes", mode="bm25", rerank=3)
    request = QuestionRequest(local(), reranked, "Does fuel burn?")
    with pytest.raises(AssertionError, match="Does fuel burn"):
        engine_with(tmp_path / "s.db", NoEmbedder).questions.search(request)


def test_a_plan_of_another_embedder_is_refused(tmp_path: Path) -> None:
    first = engine_with(tmp_path / "s.db", HashedWords)
    ingest(first)
    saved = first.questions.retrieve(
        QuestionRequest(local(), load("documents"), "fuel")
    ).to_saved_plan()
    other = engine_with(tmp_path / "s.db", OtherWords)
    ingest(other, repository="r")
    newest = other.questions.retrieve(
        QuestionRequest(local(), load("documents"), "fuel")
    ).to_saved_plan()
    assert newest.plan.embedder.name == "other-words"
    assert other.questions.execute(local(), saved, load("documents")).context.items
    changed = replace(saved, snapshots=newest.snapshots)
    with pytest.raises(WrongEmbedder):
        other.questions.execute(local(), changed, load("documents"))


def test_repositories_of_different_embedders_cannot_be_searched_together(tmp_path: Path) -> None:
    ingest(engine_with(tmp_path / "s.db", HashedWords), repository="one")
    other = engine_with(tmp_path / "s.db", OtherWords)
    ingest(other, repository="two")
    with pytest.raises(WrongEmbedder, match="one by hashed-words, two by other-words"):
        other.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel"))


@pytest.mark.parametrize("name", ["", "  ", "new\nline", "x" * 201])
def test_an_unprintable_repository_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="cannot name"):
        ingest(engine_with(tmp_path / "s.db", HashedWords), repository=name)


def test_a_question_that_is_too_long_is_refused(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    ingest(engine)
    with pytest.raises(BadInput, match="at most 20000 characters"):
        engine.questions.retrieve(QuestionRequest(local(), load("documents"), "x" * 20_001))


def test_a_question_that_is_not_valid_text_is_refused(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    ingest(engine)
    with pytest.raises(BadInput, match="not text"):
        engine.questions.retrieve(
            QuestionRequest(local(), load("documents"), "half a character \ud800")
        )


def test_an_unknown_miner_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    source = MemorySource({"a.md": "# A\n"})
    with pytest.raises(BadInput, match="no miner is called x; known: calls, documents, headers"):
        engine.content.ingest(
            local(),
            source,
            repository="r",
            branch="main",
            rule_for=lambda _: LOCAL_ONLY,
            without=("links", "x"),
        )
    assert engine.content.status(local()).scope.snapshots == ()


@pytest.mark.requirement(25)
@pytest.mark.parametrize("name", ["documents", "code", "flat"])
def test_planning_writes_nothing(tmp_path: Path, name: str) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    ingest(engine)
    request = QuestionRequest(local(), load(name), "fuel")
    before = stored_content(tmp_path / "s.db")
    engine.questions.search(request)
    engine.questions.plan(request)
    saved = engine.questions.retrieve(request).to_saved_plan()
    engine.questions.execute(local(), saved, request.pipeline)
    assert stored_content(tmp_path / "s.db") == before


def test_a_write_that_is_in_the_log_alone_is_seen(tmp_path: Path) -> None:
    """Or the tests that compare the content before and after could not fail."""
    ingest(engine_with(tmp_path / "s.db", HashedWords))
    file, before = (tmp_path / "s.db").read_bytes(), stored_content(tmp_path / "s.db")
    with closing(sqlite3.connect(tmp_path / "s.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM change_counts").fetchone()
        with closing(sqlite3.connect(tmp_path / "s.db")) as writer, writer:
            writer.execute("UPDATE change_counts SET all_changes = all_changes + 1")
        assert (tmp_path / "s.db").read_bytes() == file
        assert stored_content(tmp_path / "s.db") != before


@pytest.mark.requirement(25)
def test_a_saved_plan_is_executed_on_its_own_snapshots(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    ingest(engine)
    request = QuestionRequest(local(), load("documents"), "fuel")
    first = engine.questions.retrieve(request)
    saved = first.to_saved_plan()
    ingest(engine, "# Fuel\n\nIt froze.\n")
    again = engine.questions.execute(local(), saved, request.pipeline)
    assert [name.snapshot for name in again.scope.snapshots] == [1]
    assert again.context.text == first.context.text
    assert "It burns." in again.context.text
    assert "It froze." in engine.questions.retrieve(request).context.text


@pytest.mark.requirement(8)
def test_ingesting_unchanged_files_makes_no_snapshot(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", HashedWords)
    for _ in range(2):
        ingest(engine)
    assert engine.content.status(local()).scope.snapshots[0].snapshot == 1
    ingest(engine, "# Fuel\n\nIt froze.\n")
    assert engine.content.status(local()).scope.snapshots[0].snapshot == 2


class CountingWords(HashedWords):
    embedded: ClassVar[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        self.embedded.extend(texts)
        return super().embed(texts)


def test_a_user_who_asks_again_does_not_wait_for_the_embedder(tmp_path: Path) -> None:
    engine = engine_with(tmp_path / "s.db", CountingWords)
    ingest(engine)
    CountingWords.embedded.clear()
    mine = QuestionRequest(local(), load("documents"), "fuel")
    planned, found = engine.questions.plan(mine), engine.questions.retrieve(mine)
    assert planned.plan == found.plan
    assert CountingWords.embedded == ["fuel"]
    other = replace(local(), id="other")
    assert engine.questions.retrieve(replace(mine, reader=other)).plan == found.plan
    assert CountingWords.embedded == ["fuel", "fuel"]


def test_a_replay_embeds_the_question_again(tmp_path: Path) -> None:
    """The embedder may have changed since, under the same name."""
    engine = engine_with(tmp_path / "s.db", CountingWords)
    ingest(engine)
    found = engine.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel"))
    CountingWords.embedded.clear()
    assert engine.questions.replay(local(), receipt_of(found)).same
    assert CountingWords.embedded == ["fuel"]
