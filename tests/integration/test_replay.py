"""A receipt is replayed on a real store: the same bytes, or the first step that differs and why."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import EVERYONE, LOCAL, AccessRule, Person, Principal
from docgraph.model.answer import Answer
from docgraph.model.context import TokenCounter
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.pipeline.catalog import ACTIONS
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import Receipt, receipt_of
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.models import ChatModel, Embedder, RerankModel
from docgraph.ports.store import Store
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker, LetterCounter, WordCounter
from tests.support.memory_audit import MemoryAudit, administration
from tests.support.memory_source import MemorySource
from tests.support.receipts import FixedReplyModel, reseal, with_steps
from tests.support.small_world import DIMENSIONS, HashedWords, hash_vector

FILES = {
    "fuel.md": "# Fuel\n\nKerosene burns, see the [pump](pump.md).\n",
    "pump.md": "# Pump\n\nIt draws kerosene out of the tank.\n",
    "crew.md": "# Crew\n\nThree people and their food.\n",
    "plans.md": "# Plans\n\nKerosene is to be replaced by methane as fuel.\n",
}
QUESTION = "Which fuel burns?"
DOCUMENTS = load("documents").before(Answer)
RED = AccessRule(LOCAL, frozenset({"red"}))
SECRET = AccessRule(LOCAL, frozenset({"board"}))
ROSA = impersonated(Person("rosa", LOCAL, frozenset({"red"})), local())
BOSS = impersonated(Person("boss", LOCAL, frozenset({"red", "board"})), local())
NEMO = impersonated(Person("nemo", LOCAL, frozenset({"blue"})), local())
STRANGER = impersonated(Person("stranger", "elsewhere", frozenset({"red"})), local())


class OtherWords(HashedWords):
    identity = EmbedderIdentity("other-words", "1" * 64, DIMENSIONS)


class Drifted(HashedWords):
    """The same model by name and digest, on a machine that computes otherwise."""

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [hash_vector(f"{text} drift") for text in texts]


@dataclass(frozen=True, slots=True)
class LikesShortTexts:
    name: str = "short is good"
    clearance: None = None

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [-float(len(text)) for text in texts]


@dataclass(frozen=True, slots=True)
class Installation:
    """One store, asked with these models."""

    path: Path
    embedder: type[Embedder] = HashedWords
    tokens: Callable[[], TokenCounter] = WordCounter
    reranker: RerankModel | None = None
    model: ChatModel | None = None
    audit: MemoryAudit = field(default_factory=MemoryAudit)
    store: Store | None = None

    @property
    def engine(self) -> Engine:
        return make_engine(
            self.store or SqliteStore(self.path, now=lambda: "now"),
            self.audit,
            embedder=self.embedder,
            tokens=self.tokens,
            rerank_model=lambda: self.reranker,
            chat_models=lambda: (self.model,) if self.model else (),
        )

    def ingest(self, texts: Mapping[str, str] = FILES, rule: AccessRule = RED) -> None:
        """What is planned is for the board alone."""
        self.engine.content.ingest(
            local(),
            MemorySource(dict(texts)),
            repository="r",
            branch="main",
            rule_for=lambda path: SECRET if path == "plans.md" else rule,
        )

    def asked(
        self, reader: Principal = ROSA, pipeline: Pipeline = DOCUMENTS, *seeds: str
    ) -> Receipt:
        question = "" if seeds else QUESTION
        found = self.engine.questions.retrieve(
            QuestionRequest(reader, pipeline, question, seeds=seeds)
        )
        return receipt_of(found)

    def revoke(self, *paths: str) -> None:
        administration(self.engine).set_access(local(), "r", paths, AccessRule(LOCAL))

    def replay(self, receipt: Receipt, reader: Principal = ROSA) -> ReplayResult:
        return self.engine.questions.replay(reader, receipt)


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    made = Installation(tmp_path / "s.db")
    made.ingest()
    return made


def change(found: ReplayResult) -> tuple[str, int, str]:
    """What changed, and from which step on."""
    assert found.difference is not None
    assert found.again is None
    return (found.difference.changed, found.difference.position, found.difference.step)


GONE = ("no longer available", 1, "search_nodes")


@pytest.mark.requirement(48)
@pytest.mark.parametrize("name", ["documents", "code", "flat"])
def test_the_same_bytes_also_after_the_branch_has_gone_on(place: Installation, name: str) -> None:
    receipt = place.asked(ROSA, load(name).before(Answer))
    assert receipt.plan.order
    place.ingest({**FILES, "more.md": "# More fuel\n\nIt burns.\n", "pump.md": "# No pump\n"})
    place.ingest({"crew.md": FILES["crew.md"]})
    found = place.replay(receipt)
    assert (found.same, found.difference, found.notes) == (True, None, ())
    assert found.again is not None
    assert found.again.context.digest == receipt.context_digest
    assert receipt_of(found.again).to_json() == receipt.to_json()


@pytest.mark.requirement(48)
def test_a_plans_receipt_and_one_of_ids_replay_too(place: Installation) -> None:
    plan = place.asked(ROSA, DOCUMENTS.up_to(RetrievalPlan))
    ids = place.asked(ROSA, DOCUMENTS, "r:fuel.md", "r:absent.md", "r:plans.md")
    assert ids.plan.seed_documents == ("r:fuel.md",)
    for receipt in (plan, ids):
        found = place.replay(receipt)
        assert found.same
        assert found.again is not None
        assert receipt_of(found.again).to_json() == receipt.to_json()


def test_who_sees_nothing_gets_a_receipt_of_nothing(place: Installation) -> None:
    receipt = place.asked(NEMO)
    assert (receipt.snapshots, receipt.plan.order) == ((), ())
    assert place.replay(receipt, NEMO).same


@pytest.mark.requirement(36)
def test_what_is_hidden_moves_no_byte_of_a_receipt(place: Installation, tmp_path: Path) -> None:
    alone = Installation(tmp_path / "alone.db")
    alone.ingest({path: text for path, text in FILES.items() if path != "plans.md"})
    assert alone.asked().to_json() == place.asked().to_json()


def revoked(place: Installation) -> None:
    place.revoke("pump.md")


def all_revoked(place: Installation) -> None:
    place.revoke(*FILES)


def deleted(place: Installation) -> None:
    place.ingest({path: text for path, text in FILES.items() if path != "pump.md"})
    administration(place.engine).prune(local(), "r", "main", 1)


def pruned(place: Installation) -> None:
    place.ingest({**FILES, "more.md": "# More\n"})
    administration(place.engine).prune(local(), "r", "main", 1)


@pytest.mark.requirement(36)
@pytest.mark.requirement(37)
@pytest.mark.requirement(48)
def test_revoked_deleted_pruned_and_never_visible_read_alike(tmp_path: Path) -> None:
    answers = set()
    for number, happened in enumerate((revoked, all_revoked, deleted, pruned)):
        place = Installation(tmp_path / f"{number}.db")
        place.ingest()
        receipt = place.asked()
        happened(place)
        found = place.replay(receipt)
        assert change(found) == GONE
        answers.add(digest(plain(found)))
    place = Installation(tmp_path / "seen.db")
    place.ingest()
    receipt = place.asked()
    empty = Installation(tmp_path / "empty.db")
    empty.ingest({"other.md": "# Other\n"})
    for there, reader in ((place, NEMO), (place, STRANGER), (empty, ROSA), (empty, NEMO)):
        answers.add(digest(plain(there.replay(receipt, reader))))
    assert len(answers) == 1


@pytest.mark.requirement(48)
def test_what_sqlite_recorded_postgres_replays(place: Installation, database: str) -> None:
    receipt = place.asked()
    with closing(Pool(database)) as pool:
        server = replace(place, store=PostgresStore(pool, now=lambda: "now"))
        server.ingest()
        assert server.asked().to_json() == receipt.to_json()
        assert server.replay(receipt).same
        for happened in (revoked, pruned):
            happened(server)
            happened(place)
            assert change(server.replay(receipt)) == GONE
            assert plain(server.replay(receipt)) == plain(place.replay(receipt))


@pytest.mark.requirement(36)
def test_a_receipt_of_the_boss_tells_rosa_nothing_of_what_she_may_not_see(
    place: Installation, tmp_path: Path
) -> None:
    """There, here hidden, and here not at all: she cannot tell."""
    receipt = place.asked(BOSS)
    assert "r:plans.md" in receipt.plan.order
    bare = Installation(tmp_path / "bare.db")
    bare.ingest({path: text for path, text in FILES.items() if path != "plans.md"})
    here, there = place.replay(receipt), bare.replay(receipt)
    assert change(here) == GONE
    assert plain(here) == plain(there)


@pytest.mark.requirement(48)
def test_other_rights_are_named_where_they_show(place: Installation) -> None:
    receipt = place.asked(ROSA)
    assert change(place.replay(receipt, BOSS)) == ("rights", 1, "search_nodes")


def test_other_rights_that_give_the_same_are_noted(place: Installation) -> None:
    rory = impersonated(Person("rory", LOCAL, frozenset({"red", "scarlet"})), local())
    found = place.replay(place.asked(ROSA), rory)
    assert (found.same, len(found.notes)) == (True, 1)
    assert "your rights are not those" in found.notes[0]


@pytest.mark.requirement(48)
def test_what_has_become_visible_is_a_change_of_content(place: Installation) -> None:
    receipt = place.asked()
    administration(place.engine).set_access(local(), "r", ("plans.md",), RED)
    assert change(place.replay(receipt)) == ("content", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_the_first_step_that_differs_is_named(place: Installation) -> None:
    """On other grounds the same text is read: seeds and plan stay as they are."""
    receipt = place.asked()
    everyone = AccessRule(LOCAL, frozenset({EVERYONE}))
    administration(place.engine).set_access(local(), "r", ("fuel.md",), everyone)
    assert change(place.replay(receipt)) == ("content", 4, "fetch_evidence")


@pytest.mark.requirement(48)
def test_another_embedder_is_named(place: Installation, tmp_path: Path) -> None:
    receipt = place.asked()
    found = replace(place, embedder=OtherWords).replay(receipt)
    assert change(found) == ("embedder", 1, "search_nodes")
    assert found.difference is not None
    assert found.difference.why == (
        "then it was hashed-words (000000000000), now it is other-words (111111111111)"
    )
    drifted = replace(place, embedder=Drifted).replay(receipt)
    assert change(drifted) == ("embedder", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_a_snapshot_that_another_embedder_made_is_named(
    place: Installation, tmp_path: Path
) -> None:
    other = Installation(tmp_path / "other.db", embedder=OtherWords)
    other.ingest()
    asked_here = replace(other, embedder=HashedWords)
    assert change(asked_here.replay(place.asked())) == ("embedder", 1, "search_nodes")
    of_ids = place.asked(ROSA, DOCUMENTS, "r:fuel.md")
    assert change(other.replay(of_ids)) == ("embedder", 1, "expand_relationships")


@pytest.mark.requirement(48)
def test_a_pipeline_file_that_was_changed_changes_nothing(
    place: Installation, tmp_path: Path
) -> None:
    """A receipt holds the steps themselves, so it replays without the file."""
    file = tmp_path / "mine.yaml"
    file.write_text("pipeline: mine\nextends: documents\nchange: {search_nodes: {top: 2}}\n")
    receipt = place.asked(ROSA, load(str(file)).before(Answer))
    file.unlink()
    found = place.replay(receipt)
    assert (found.same, found.notes) == (True, ())


def test_a_shipped_pipeline_that_is_another_one_today_is_noted(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = place.asked()
    today = load("documents").with_options("search_nodes", top=3)
    monkeypatch.setattr("docgraph.pipeline.replay.load", lambda _: today)
    found = place.replay(receipt)
    note = "the pipeline documents has other steps or options today than were recorded"
    assert (found.same, found.notes) == (True, (note,))


@pytest.mark.parametrize("place_to_ask", ["context", "answer"])
def test_another_budget_is_the_askers_and_no_other_pipeline(
    place: Installation, place_to_ask: str
) -> None:
    if place_to_ask == "context":
        receipt = place.asked(ROSA, DOCUMENTS.with_options("assemble_context", max_tokens=40))
    else:
        answering = replace(place, model=FixedReplyModel("Kerosene burns [1]."))
        pipeline = load("documents").with_options("assemble_context", max_tokens=40)
        receipt = receipt_of(
            answering.engine.questions.ask(QuestionRequest(ROSA, pipeline, QUESTION))
        )
    found = place.replay(receipt)
    assert found.same
    assert not [note for note in found.notes if "other steps or options" in note]


def test_a_receipt_names_no_file_to_read(place: Installation, tmp_path: Path) -> None:
    receipt = reseal(place.asked(), ("pipeline",), lambda _: str(tmp_path / "s.db"))
    assert place.replay(receipt).same


@pytest.mark.requirement(48)
def test_an_action_that_is_gone_is_a_change_of_the_pipeline(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = place.asked()
    fewer = {name: action for name, action in ACTIONS.items() if name != "fetch_evidence"}
    monkeypatch.setattr("docgraph.pipeline.replay._KNOWN", fewer)
    found = place.replay(receipt)
    assert change(found) == ("pipeline", 4, "fetch_evidence")
    assert found.difference is not None
    assert found.difference.why.startswith(
        "the pipeline cannot be run any more: no action is called 'fetch_evidence'"
    )


def test_steps_of_another_digest_are_a_change_of_the_pipeline(place: Installation) -> None:
    receipt = reseal(place.asked(), ("steps", 0, "options", 1, 1), lambda top: top + 1)
    assert change(place.replay(receipt)) == ("pipeline", 1, "search_nodes")


@pytest.mark.requirement(48)
@pytest.mark.parametrize("today", [None, LikesShortTexts()])
def test_another_reranker_is_a_change_of_the_pipeline(
    place: Installation, today: RerankModel | None
) -> None:
    reranking = DOCUMENTS.with_options("search_nodes", rerank=3)
    then = replace(place, reranker=LengthReranker())
    receipt = then.asked(ROSA, reranking)
    assert receipt.reranker == "long is good"
    assert then.replay(receipt).same
    found = replace(place, reranker=today).replay(receipt)
    assert change(found) == ("pipeline", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_another_tokenizer_is_a_change_of_the_pipeline(place: Installation) -> None:
    found = replace(place, tokens=LetterCounter).replay(place.asked())
    assert change(found) == ("pipeline", 5, "assemble_context")


@pytest.mark.requirement(48)
def test_another_tokenizers_name_is_a_difference_though_every_step_gives_the_same(
    place: Installation,
) -> None:
    found = place.replay(reseal(place.asked(), ("tokenizer",), lambda _: "letters"))
    assert change(found) == ("pipeline", 5, "assemble_context")
    assert found.difference is not None
    assert found.difference.why == "tokens were counted by letters, not words"


@pytest.mark.requirement(48)
def test_a_forged_receipt_that_gives_the_same_plan_is_refused(place: Installation) -> None:
    receipt = place.asked()
    seeded = reseal(receipt, ("seeds",), lambda _: ["r:fuel.md"])
    with pytest.raises(BadInput, match="not consistent: ids were given in place of search"):
        place.replay(seeded)
    with pytest.raises(
        BadInput, match=r"not consistent: step 50 .* made retrieval_seed_nodes, which no step"
    ):
        place.replay(with_steps(receipt, lambda steps: [steps[0]] * 50 + steps))


def test_an_answer_that_could_not_be_asked_for_so_is_noted(place: Installation) -> None:
    answering = replace(place, model=FixedReplyModel("Kerosene burns [1]."))
    receipt = receipt_of(
        answering.engine.questions.ask(QuestionRequest(ROSA, load("documents"), QUESTION))
    )
    odd = with_steps(
        receipt,
        lambda steps: [
            *steps[:-1],
            {**steps[-1], "options": [*steps[-1]["options"], ["politely", True]]},
        ],
    )
    notes = place.replay(odd).notes
    assert [note for note in notes if "no option is called 'politely'" in note]


@pytest.mark.requirement(48)
def test_an_edited_receipt_is_refused_before_anything_is_read(place: Installation) -> None:
    receipt = place.asked()
    edited = replace(receipt, question="something else")
    with pytest.raises(BadInput, match="not consistent: its own digest"):
        place.replay(edited)
    with pytest.raises(BadInput, match="not consistent: step 2"):
        place.replay(reseal(receipt, ("steps", 0, "output", 1), lambda _: "0" * 64))


@pytest.mark.requirement(48)
def test_an_answer_is_not_asked_for_again_and_its_context_is(place: Installation) -> None:
    answering = replace(place, model=FixedReplyModel("Kerosene burns [1]."))
    found = answering.engine.questions.ask(QuestionRequest(ROSA, load("documents"), QUESTION))
    receipt = receipt_of(found)
    assert receipt.answer is not None
    assert receipt.answer.model == "says"
    again = place.replay(receipt)
    assert again.same
    assert again.again is not None
    assert Answer not in again.again.run.values
    assert again.again.context.digest == receipt.context_digest
    assert [note for note in again.notes if "the answer was not asked for again" in note]
    administration(place.engine).set_access(local(), "r", ("plans.md",), RED)
    assert change(place.replay(receipt)) == ("content", 1, "search_nodes")


def test_a_replay_is_in_the_audit_log_and_so_is_what_was_denied(place: Installation) -> None:
    receipt = place.asked()
    for reader in (ROSA, NEMO):
        place.replay(receipt, reader)
    rows = [row for row in place.audit.rows if row.action == "replay"]
    assert [(row.principal, row.outcome) for row in rows] == [
        ("rosa", "answered"),
        ("nemo", "denied"),
        ("nemo", "answered"),
    ]
    assert {row.plan for row in rows} == {receipt.plan_digest}
    assert "r:fuel.md" in rows[1].detail


def test_replaying_writes_nothing(place: Installation) -> None:
    receipt = place.asked()
    before = place.path.read_bytes()
    place.replay(receipt)
    assert place.path.read_bytes() == before
