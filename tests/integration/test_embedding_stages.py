"""Embedding in stages: a snapshot answers at once, further ones of its content have vectors."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule, Clearance, Principal
from docgraph.model.answer import Answer
from docgraph.model.embedding_state import StateName
from docgraph.model.errors import ModelError, NotEmbedded
from docgraph.model.snapshot import SnapshotSelector
from docgraph.model.vector import IntVector
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import Receipt, receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from docgraph.ports.models import Embedder
from docgraph.ports.store import Store
from docgraph.testing.small_store import HashedWords
from tests.support.engines import make_engine
from tests.support.memory_source import MemorySource
from tests.support.postgres_server import PostgresServer

FILES = {
    "docs/valve.md": "# Valve\n\nThe red valve closes the tank. See [pump](pump.md).\n\n## Wear\n\n"
    "It wears out.\n",
    "docs/pump.md": "# Pump\n\nThe pump draws kerosene out of the tank.\n",
    "tests/test_valve.py": 'def test_valve():\n    """The red valve closes."""\n    assert True\n',
    "vendor/tank.md": "# Tank\n\nA tank from elsewhere, with a valve of its own.\n",
}
QUESTION = "Which valve closes the tank?"
PIPELINES = tuple(load(name).before(Answer) for name in ("documents", "code", "flat"))
ME = local()
CROWD = AccessRule(LOCAL, frozenset({"crowd"}))
Open = Callable[[], Store]


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """A new store at every call."""
    if request.param == "sqlite":
        numbers = iter(range(100))
        yield lambda: SqliteStore(tmp_path / f"{next(numbers)}.db", now=lambda: "now")
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    pools: list[Pool] = []

    def opened() -> Store:
        pools.append(Pool(server.fresh_database()))
        return PostgresStore(pools[-1], now=lambda: "now")

    yield opened
    for pool in pools:
        with closing(pool):
            pass


@pytest.fixture(autouse=True)
def nothing_is_embedded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docgraph.ingest.run.EMBEDDED_AT_ONCE", 0)


def ingest(
    engine: Engine,
    files: dict[str, str] = FILES,
    *,
    embed: str = "all",
    rules: dict[str, AccessRule] | None = None,
) -> IngestResult:
    return engine.content.ingest(
        ME,
        MemorySource(files),
        repository="r",
        branch="main",
        rule_for=lambda path: (rules or {}).get(path, LOCAL_ONLY),
        embed=embed,  # type: ignore[arg-type]
    )


def ask(
    engine: Engine, snapshot: int | None = None, pipeline: int = 0, reader: Principal = ME
) -> Retrieval:
    scope = (SnapshotSelector("r", "main", snapshot),)
    return engine.questions.retrieve(
        QuestionRequest(reader, PIPELINES[pipeline], QUESTION, scope=scope)
    )


def states(engine: Engine, reader: Principal = ME) -> list[StateName]:
    return [info.embeddings for info in engine.content.snapshots(reader)]


def no_embedder() -> Embedder:
    raise AssertionError("no vector is needed")


@pytest.mark.requirement(54)
def test_words_and_relations_answer_without_any_vector(open_store: Open) -> None:
    store = open_store()
    result = ingest(make_engine(store), embed="none")
    assert (result.vectors, result.embeddings.name) == (0, "none")
    engine = make_engine(store, embedder=no_embedder)
    for pipeline in range(len(PIPELINES)):
        found = ask(engine, pipeline=pipeline)
        assert "The red valve closes the tank" in found.context.text
        assert found.plan.query_vector == ()
        assert found.embeddings == found.plan.constraints.embeddings == "none"
    assert "r:docs/pump.md" in ask(engine).plan.order
    assert engine.content.status(ME).embeddings.name == "none"


@pytest.mark.requirement(54)
def test_each_stage_is_a_snapshot_of_the_same_content(open_store: Open) -> None:
    """Summaries first; then source and docs, tests, and vendored files."""
    store = open_store()
    engine = make_engine(store)
    result = ingest(engine)
    assert result.snapshot is not None
    assert result.snapshot.snapshot == 1
    assert result.embedding_snapshot is not None
    assert result.embedding_snapshot.snapshot == 5
    assert states(engine) == ["none", "partial", "partial", "partial", "complete"]
    counts = []
    for number in range(1, 6):
        scope = (SnapshotSelector("r", "main", number),)
        with store.open_session(ME, scope) as reads:
            found = reads.embeddings
            counts.append((found.summarized, found.embedded))
            embedded = [
                name
                for name in FILES
                if reads.search.best_chunk_similarities(
                    tuple(HashedWords().embed([QUESTION])[0].tolist()), (f"r:{name}",), roll_up=True
                )
            ]
            assert embedded == list(FILES)[: found.embedded]
    assert counts == [(0, 0), (4, 0), (4, 2), (4, 3), (4, 4)]
    assert store.verify().problems == ()


@pytest.mark.requirement(54)
def test_a_receipt_of_every_stage_replays_to_the_same_bytes(open_store: Open) -> None:
    store = open_store()
    engine = make_engine(store)
    receipts: list[Receipt] = []

    class Watching(HashedWords):
        """Asks before every computation: each stage is the newest snapshot for a while."""

        def embed(self, texts: Sequence[str]) -> list[IntVector]:
            if list(texts) != [QUESTION]:
                receipts.extend(receipt_of(ask(engine, pipeline=n)) for n in range(len(PIPELINES)))
            return super().embed(texts)

    ingest(make_engine(store, embedder=Watching))
    receipts.extend(receipt_of(ask(engine, pipeline=n)) for n in range(len(PIPELINES)))
    assert len({one.plan.constraints.embeddings for one in receipts}) >= 4
    for receipt in receipts:
        found = engine.questions.replay(ME, receipt)
        assert found.difference is None, found.difference
    for number in range(1, 6):
        again = receipt_of(ask(engine, number))
        assert again.digest in {one.digest for one in receipts}


@pytest.mark.requirement(54)
def test_in_the_end_all_is_as_if_it_had_been_embedded_at_once(
    open_store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged, whole = make_engine(open_store()), make_engine(open_store())
    ingest(staged)
    monkeypatch.setattr("docgraph.ingest.run.EMBEDDED_AT_ONCE", 1_000_000)
    assert ingest(whole).embedding_snapshot is None
    assert staged.content.content_digest(ME) == whole.content.content_digest(ME)
    for pipeline in range(len(PIPELINES)):
        one, other = ask(staged, pipeline=pipeline), ask(whole, pipeline=pipeline)
        assert one.context == other.context
        assert one.plan == other.plan


def test_semantic_search_without_vectors_says_how_far_embedding_is(open_store: Open) -> None:
    engine = make_engine(open_store())
    ingest(engine, embed="none")
    semantic = PIPELINES[0].with_options("search_nodes", mode="semantic")
    with pytest.raises(NotEmbedded, match=r"none yet .*\(embeddings: none\).* hybrid or bm25"):
        engine.questions.search(QuestionRequest(ME, semantic, QUESTION))
    engine.content.embed(ME, "r", "main")
    assert engine.questions.search(QuestionRequest(ME, semantic, QUESTION)).seeds.ranked


class Failing(HashedWords):
    """Gives so many vectors, then fails."""

    def __init__(self, left: int) -> None:
        self.left = left

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        self.left -= len(texts)
        if self.left < 0:
            raise ModelError("the model is gone")
        return super().embed(texts)


def test_what_an_interrupted_run_has_embedded_stays(open_store: Open) -> None:
    store = open_store()
    engine = make_engine(store)
    failing = Failing(4)
    with pytest.raises(ModelError):
        ingest(make_engine(store, embedder=lambda: failing))
    assert states(engine) == ["none", "partial"]
    computed: list[str] = []

    class Counting(HashedWords):
        def embed(self, texts: Sequence[str]) -> list[IntVector]:
            computed.extend(texts)
            return super().embed(texts)

    ingest(make_engine(store, embedder=Counting))
    assert states(engine)[-1] == "complete"
    assert not [text for text in computed if text.startswith("Valve. The red")], "a summary again"


@pytest.mark.requirement(36)
def test_hidden_documents_change_no_byte_of_any_stage(open_store: Open) -> None:
    hidden = {
        "docs/secret.md": "# Secret valve\n\nA valve that closes every tank.\n",
        "tests/test_secret.py": "def test_secret(): ...\n",
    }
    alone, beside = make_engine(open_store()), make_engine(open_store())
    ingest(alone)
    ingest(beside, FILES | hidden, rules=dict.fromkeys(hidden, CROWD))
    assert states(alone) == states(beside)
    for number in range(1, 6):
        for pipeline in range(len(PIPELINES)):
            one, other = (ask(engine, number, pipeline) for engine in (alone, beside))
            assert one.plan == other.plan
            assert one.context == other.context


def test_a_changed_document_is_partial_until_it_is_embedded(open_store: Open) -> None:
    """The others keep their vectors."""
    store = open_store()
    engine = make_engine(store)
    ingest(engine)
    later = FILES | {"docs/pump.md": "# Pump\n\nThe pump is gone, the valve closes alone.\n"}
    result = ingest(engine, later, embed="none")
    assert (result.embeddings.documents, result.embeddings.embedded) == (4, 3)
    assert ask(engine).embeddings == "partial: 3 of 4 documents, 4 of 5 chunks"
    assert "The pump is gone" in ask(engine).context.text
    engine.content.embed(ME, "r", "main")
    assert ask(engine).embeddings == "complete"
    assert store.verify().problems == ()


def test_snapshots_of_one_content_are_pruned_together(open_store: Open) -> None:
    store = open_store()
    engine = make_engine(store)
    ingest(engine)
    ingest(engine, FILES | {"docs/new.md": "# New\n\nAnother valve.\n"})
    before = receipt_of(ask(engine))
    found = store.prune(LOCAL, "r", "main", 1)
    assert found.snapshots == 5
    numbers = [info.name.snapshot for info in engine.content.snapshots(ME)]
    assert numbers[0] == 6
    assert engine.questions.replay(ME, before).difference is None
    assert store.verify().problems == ()


def test_what_the_embedder_must_not_get_stays_without_vectors(open_store: Open) -> None:
    """The rule may have changed after the ingest."""
    store = open_store()
    ingest(make_engine(store), embed="none")
    with store.access_policy(LOCAL) as policy:
        policy.set_manual_rule(
            "r", ["docs/pump.md"], AccessRule(LOCAL, LOCAL_ONLY.readers, level=3)
        )
    sent: list[str] = []

    class Remote(HashedWords):
        def embed(self, texts: Sequence[str]) -> list[IntVector]:
            sent.extend(texts)
            return super().embed(texts)

    engine = make_engine(store, embedder=Remote, embedder_clearance=Clearance(level=1))
    result = engine.content.embed(ME, "r", "main")
    assert [problem.path for problem in result.problems] == ["docs/pump.md"]
    assert (result.state.documents, result.state.embedded) == (4, 3)
    assert not any("kerosene" in text for text in sent)


def test_branches_that_are_not_embedded_are_listed(open_store: Open) -> None:
    store = open_store()
    engine = make_engine(store)
    ingest(engine, embed="none")
    assert [(one.repository, one.branch) for one in store.unembedded_branches()] == [("r", "main")]
    engine.content.embed(ME, "r", "main")
    assert store.unembedded_branches() == ()
