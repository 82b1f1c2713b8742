"""A receipt is replayed on a real store: the same bytes, or the first step that differs and why."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from docgraph.action import action, contract_of
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
from docgraph.model.seeds import Seeds
from docgraph.model.vector import IntVector
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.pipeline.receipt import Receipt, receipt_of
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.models import ChatModel, Embedder, RerankModel
from docgraph.ports.store import Store
from docgraph.testing.small_store import DIMENSIONS, HashedWords, hash_vector
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker, LetterCounter, WordCounter
from tests.support.memory_audit import MemoryAudit, administration
from tests.support.memory_source import MemorySource
from tests.support.receipts import FixedReplyModel, reseal, with_steps
from tests.support.stored_content import stored_content

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


class DriftingWords(HashedWords):
    """The same model by name and digest, with other vectors."""

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [hash_vector(f"{text} drift") for text in texts]


@dataclass(frozen=True, slots=True)
class ShortTextReranker:
    name: str = "short is good"
    clearance: None = None

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [-float(len(text)) for text in texts]


@dataclass(frozen=True, slots=True)
class Installation:
    """One store with its models."""

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
        """plans.md is readable by the board only."""
        self.engine.content.ingest(
            local(),
            MemorySource(dict(texts)),
            repository="r",
            branch="main",
            rule_for=lambda path: SECRET if path == "plans.md" else rule,
        )

    def retrieve_receipt(
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
def installation(tmp_path: Path) -> Installation:
    installation = Installation(tmp_path / "s.db")
    installation.ingest()
    return installation


def change_in(found: ReplayResult) -> tuple[str, int, str]:
    """What changed, and the first step that differs."""
    assert found.difference is not None
    assert found.again is None
    return (found.difference.changed, found.difference.position, found.difference.step)


GONE = ("no longer available", 1, "search_nodes")


@pytest.mark.requirement(48)
@pytest.mark.parametrize("name", sorted(shipped_pipelines()))
def test_a_replay_gives_the_same_bytes_after_newer_snapshots(
    installation: Installation, name: str
) -> None:
    receipt = installation.retrieve_receipt(ROSA, load(name).before(Answer))
    assert receipt.plan.order
    installation.ingest(
        {**FILES, "more.md": "# More fuel\n\nIt burns.\n", "pump.md": "# No pump\n"}
    )
    installation.ingest({"crew.md": FILES["crew.md"]})
    found = installation.replay(receipt)
    assert (found.same, found.difference, found.notes) == (True, None, ())
    assert found.again is not None
    assert found.again.context.digest == receipt.context_digest
    assert receipt_of(found.again).to_json() == receipt.to_json()


@pytest.mark.requirement(48)
def test_receipts_of_a_plan_and_of_given_ids_are_replayed(installation: Installation) -> None:
    plan = installation.retrieve_receipt(ROSA, DOCUMENTS.up_to(RetrievalPlan))
    ids = installation.retrieve_receipt(ROSA, DOCUMENTS, "r:fuel.md", "r:pump.md")
    assert ids.plan.seed_documents == ("r:fuel.md", "r:pump.md")
    for receipt in (plan, ids):
        found = installation.replay(receipt)
        assert found.same
        assert found.again is not None
        assert receipt_of(found.again).to_json() == receipt.to_json()


def test_a_reader_who_sees_nothing_gets_an_empty_receipt(installation: Installation) -> None:
    receipt = installation.retrieve_receipt(NEMO)
    assert (receipt.snapshots, receipt.plan.order) == ((), ())
    assert installation.replay(receipt, NEMO).same


@pytest.mark.requirement(36)
def test_a_hidden_document_changes_no_byte_of_a_receipt(
    installation: Installation, tmp_path: Path
) -> None:
    alone = Installation(tmp_path / "alone.db")
    alone.ingest({path: text for path, text in FILES.items() if path != "plans.md"})
    assert alone.retrieve_receipt().to_json() == installation.retrieve_receipt().to_json()


def revoke_one(installation: Installation) -> None:
    installation.revoke("pump.md")


def revoke_all(installation: Installation) -> None:
    installation.revoke(*FILES)


def delete_one(installation: Installation) -> None:
    installation.ingest({path: text for path, text in FILES.items() if path != "pump.md"})
    administration(installation.engine).prune(local(), "r", "main", 1)


def prune(installation: Installation) -> None:
    installation.ingest({**FILES, "more.md": "# More\n"})
    administration(installation.engine).prune(local(), "r", "main", 1)


@pytest.mark.requirement(36)
@pytest.mark.requirement(37)
@pytest.mark.requirement(48)
def test_revoked_deleted_pruned_and_never_visible_documents_give_the_same_result(
    tmp_path: Path,
) -> None:
    answers = set()
    for number, change in enumerate((revoke_one, revoke_all, delete_one, prune)):
        installation = Installation(tmp_path / f"{number}.db")
        installation.ingest()
        receipt = installation.retrieve_receipt()
        change(installation)
        found = installation.replay(receipt)
        assert change_in(found) == GONE
        answers.add(digest(plain(found)))
    installation = Installation(tmp_path / "seen.db")
    installation.ingest()
    receipt = installation.retrieve_receipt()
    empty = Installation(tmp_path / "empty.db")
    empty.ingest({"other.md": "# Other\n"})
    for store, reader in (
        (installation, NEMO),
        (installation, STRANGER),
        (empty, ROSA),
        (empty, NEMO),
    ):
        answers.add(digest(plain(store.replay(receipt, reader))))
    assert len(answers) == 1


@pytest.mark.requirement(48)
def test_postgres_replays_a_receipt_of_sqlite(installation: Installation, database: str) -> None:
    receipt = installation.retrieve_receipt()
    with closing(Pool(database)) as pool:
        server = replace(installation, store=PostgresStore(pool, now=lambda: "now"))
        server.ingest()
        assert server.retrieve_receipt().to_json() == receipt.to_json()
        assert server.replay(receipt).same
        for change in (revoke_one, prune):
            change(server)
            change(installation)
            assert change_in(server.replay(receipt)) == GONE
            assert plain(server.replay(receipt)) == plain(installation.replay(receipt))


@pytest.mark.requirement(36)
def test_the_receipt_of_another_reader_reveals_nothing_about_hidden_documents(
    installation: Installation, tmp_path: Path
) -> None:
    """A hidden document and an absent one give the same result."""
    receipt = installation.retrieve_receipt(BOSS)
    assert "r:plans.md" in receipt.plan.order
    bare = Installation(tmp_path / "bare.db")
    bare.ingest({path: text for path, text in FILES.items() if path != "plans.md"})
    hidden, absent = installation.replay(receipt), bare.replay(receipt)
    assert change_in(hidden) == GONE
    assert plain(hidden) == plain(absent)


@pytest.mark.requirement(48)
def test_other_rights_are_reported_if_the_result_differs(installation: Installation) -> None:
    receipt = installation.retrieve_receipt(ROSA)
    assert change_in(installation.replay(receipt, BOSS)) == ("rights", 1, "search_nodes")


def test_other_rights_with_the_same_result_are_a_note(installation: Installation) -> None:
    rory = impersonated(Person("rory", LOCAL, frozenset({"red", "scarlet"})), local())
    found = installation.replay(installation.retrieve_receipt(ROSA), rory)
    assert (found.same, len(found.notes)) == (True, 1)
    assert "your rights are not those" in found.notes[0]


@pytest.mark.requirement(48)
def test_a_document_that_became_visible_is_a_change_of_content(installation: Installation) -> None:
    receipt = installation.retrieve_receipt()
    administration(installation.engine).set_access(local(), "r", ("plans.md",), RED)
    assert change_in(installation.replay(receipt)) == ("content", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_the_first_step_that_differs_is_reported(installation: Installation) -> None:
    """The text is readable for another reason: seeds and plan stay the same."""
    receipt = installation.retrieve_receipt()
    everyone = AccessRule(LOCAL, frozenset({EVERYONE}))
    administration(installation.engine).set_access(local(), "r", ("fuel.md",), everyone)
    assert change_in(installation.replay(receipt)) == ("content", 4, "fetch_evidence")


@pytest.mark.requirement(48)
def test_another_embedder_is_reported(installation: Installation, tmp_path: Path) -> None:
    receipt = installation.retrieve_receipt()
    found = replace(installation, embedder=OtherWords).replay(receipt)
    assert change_in(found) == ("embedder", 1, "search_nodes")
    assert found.difference is not None
    assert found.difference.why.startswith(
        "this snapshot was embedded by hashed-words (000000000000, 16 dimensions), "
        "the question would be by other-words (111111111111, 16 dimensions)"
    )
    drifting = replace(installation, embedder=DriftingWords).replay(receipt)
    assert change_in(drifting) == ("embedder", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_a_snapshot_of_another_embedder_is_reported(
    installation: Installation, tmp_path: Path
) -> None:
    other = Installation(tmp_path / "other.db", embedder=OtherWords)
    other.ingest()
    same_embedder = replace(other, embedder=HashedWords)
    assert change_in(same_embedder.replay(installation.retrieve_receipt())) == (
        "embedder",
        1,
        "search_nodes",
    )
    found = other.replay(installation.retrieve_receipt())
    assert found.difference is not None
    assert found.difference.why == (
        "then it was hashed-words (000000000000, 16 dimensions), "
        "now it is other-words (111111111111, 16 dimensions)"
    )
    of_ids = installation.retrieve_receipt(ROSA, DOCUMENTS, "r:fuel.md")
    assert change_in(other.replay(of_ids)) == ("embedder", 1, "expand_relationships")


@pytest.mark.requirement(48)
def test_a_replay_does_not_need_the_pipeline_file(
    installation: Installation, tmp_path: Path
) -> None:
    """A receipt holds the steps themselves, so it replays without the file."""
    file = tmp_path / "mine.yaml"
    file.write_text("pipeline: mine\nextends: documents\nchange: {search_nodes: {top: 2}}\n")
    receipt = installation.retrieve_receipt(ROSA, load(str(file)).before(Answer))
    file.unlink()
    found = installation.replay(receipt)
    assert (found.same, found.notes) == (True, ())


def test_a_changed_built_in_pipeline_is_a_note(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = installation.retrieve_receipt()
    today = load("documents").with_options("search_nodes", top=3)
    monkeypatch.setattr("docgraph.pipeline.replay.load", lambda _: today)
    found = installation.replay(receipt)
    note = "the pipeline documents has other steps or options today than were recorded"
    assert (found.same, found.notes) == (True, (note,))


@pytest.mark.parametrize("operation", ["context", "answer"])
def test_another_token_budget_is_not_a_change_of_the_pipeline(
    installation: Installation, operation: str
) -> None:
    if operation == "context":
        receipt = installation.retrieve_receipt(
            ROSA, DOCUMENTS.with_options("assemble_context", max_tokens=40)
        )
    else:
        answering = replace(installation, model=FixedReplyModel("Kerosene burns [1]."))
        pipeline = load("documents").with_options("assemble_context", max_tokens=40)
        receipt = receipt_of(
            answering.engine.questions.ask(QuestionRequest(ROSA, pipeline, QUESTION))
        )
    found = installation.replay(receipt)
    assert found.same
    assert not [note for note in found.notes if "other steps or options" in note]


def test_a_replay_reads_no_file_that_a_receipt_names(
    installation: Installation, tmp_path: Path
) -> None:
    receipt = reseal(
        installation.retrieve_receipt(), ("pipeline",), lambda _: str(tmp_path / "s.db")
    )
    assert installation.replay(receipt).same


@action()
def keep_every_seed(seeds: Seeds) -> Seeds:
    return seeds


@pytest.mark.requirement(48)
def test_an_action_that_is_gone_is_a_change_of_the_pipeline(installation: Installation) -> None:
    own = contract_of(keep_every_seed)
    first, *rest = DOCUMENTS.steps
    receipt = installation.retrieve_receipt(ROSA, Pipeline("own", (first, Step.of(own, {}), *rest)))
    found = installation.replay(receipt)
    assert change_in(found) == ("pipeline", 2, "keep_every_seed")
    assert found.difference is not None
    assert found.difference.why.startswith(
        "the pipeline cannot be run any more: no action is called 'keep_every_seed'"
    )
    with_plugin = replace(installation.engine.questions, find_action={own.name: own}.get)
    assert with_plugin.replay(ROSA, receipt).same


def test_other_options_of_a_step_are_a_change_of_the_pipeline(installation: Installation) -> None:
    receipt = reseal(
        installation.retrieve_receipt(), ("steps", 0, "options", 1, 1), lambda top: top + 1
    )
    assert change_in(installation.replay(receipt)) == ("pipeline", 1, "search_nodes")


@pytest.mark.requirement(48)
@pytest.mark.parametrize("today", [None, ShortTextReranker()])
def test_another_reranker_is_a_change_of_the_pipeline(
    installation: Installation, today: RerankModel | None
) -> None:
    reranking = DOCUMENTS.with_options("search_nodes", rerank=3)
    then = replace(installation, reranker=LengthReranker())
    receipt = then.retrieve_receipt(ROSA, reranking)
    assert receipt.reranker == "long is good"
    assert then.replay(receipt).same
    found = replace(installation, reranker=today).replay(receipt)
    assert change_in(found) == ("pipeline", 1, "search_nodes")


@pytest.mark.requirement(48)
def test_another_tokenizer_is_a_change_of_the_pipeline(installation: Installation) -> None:
    found = replace(installation, tokens=LetterCounter).replay(installation.retrieve_receipt())
    assert change_in(found) == ("pipeline", 5, "assemble_context")


@pytest.mark.requirement(48)
def test_another_tokenizer_name_is_a_difference_even_with_equal_steps(
    installation: Installation,
) -> None:
    found = installation.replay(
        reseal(installation.retrieve_receipt(), ("tokenizer",), lambda _: "letters")
    )
    assert change_in(found) == ("pipeline", 5, "assemble_context")
    assert found.difference is not None
    assert found.difference.why == "tokens were counted by letters, not words"


@pytest.mark.requirement(48)
def test_a_forged_receipt_that_gives_the_same_plan_is_refused(installation: Installation) -> None:
    receipt = installation.retrieve_receipt()
    seeded = reseal(receipt, ("seeds",), lambda _: ["r:fuel.md"])
    with pytest.raises(BadInput, match="not consistent: ids were given in place of search"):
        installation.replay(seeded)
    with pytest.raises(
        BadInput, match=r"not consistent: step 50 .* made retrieval_seed_nodes, which no step"
    ):
        installation.replay(with_steps(receipt, lambda steps: [steps[0]] * 50 + steps))


def test_an_unknown_option_of_the_answer_step_is_a_note(installation: Installation) -> None:
    answering = replace(installation, model=FixedReplyModel("Kerosene burns [1]."))
    receipt = receipt_of(
        answering.engine.questions.ask(QuestionRequest(ROSA, load("documents"), QUESTION))
    )
    changed = with_steps(
        receipt,
        lambda steps: [
            *steps[:-1],
            {**steps[-1], "options": [*steps[-1]["options"], ["politely", True]]},
        ],
    )
    notes = installation.replay(changed).notes
    assert [note for note in notes if "no option is called 'politely'" in note]


@pytest.mark.requirement(48)
def test_an_edited_receipt_is_refused_before_anything_is_read(installation: Installation) -> None:
    receipt = installation.retrieve_receipt()
    edited = replace(receipt, question="something else")
    with pytest.raises(BadInput, match="not consistent: its own digest"):
        installation.replay(edited)
    with pytest.raises(BadInput, match="not consistent: step 2"):
        installation.replay(reseal(receipt, ("steps", 0, "output", 1), lambda _: "0" * 64))


@pytest.mark.requirement(48)
def test_a_replay_repeats_the_context_and_not_the_answer(installation: Installation) -> None:
    answering = replace(installation, model=FixedReplyModel("Kerosene burns [1]."))
    found = answering.engine.questions.ask(QuestionRequest(ROSA, load("documents"), QUESTION))
    receipt = receipt_of(found)
    assert receipt.answer is not None
    assert receipt.answer.model == "says"
    again = installation.replay(receipt)
    assert again.same
    assert again.again is not None
    assert Answer not in again.again.run.values
    assert again.again.context.digest == receipt.context_digest
    assert [note for note in again.notes if "the answer was not asked for again" in note]
    administration(installation.engine).set_access(local(), "r", ("plans.md",), RED)
    assert change_in(installation.replay(receipt)) == ("content", 1, "search_nodes")


def test_a_replay_and_its_denials_are_in_the_audit_log(installation: Installation) -> None:
    receipt = installation.retrieve_receipt()
    for reader in (ROSA, NEMO):
        installation.replay(receipt, reader)
    rows = [row for row in installation.audit.rows if row.action == "replay"]
    assert [(row.principal, row.outcome) for row in rows] == [
        ("rosa", "succeeded"),
        ("nemo", "denied"),
        ("nemo", "succeeded"),
    ]
    assert {row.plan for row in rows} == {receipt.plan_digest}
    assert "r:fuel.md" in rows[1].detail


def test_a_replay_writes_nothing(installation: Installation) -> None:
    receipt = installation.retrieve_receipt()
    before = stored_content(installation.path)
    installation.replay(receipt)
    assert stored_content(installation.path) == before
