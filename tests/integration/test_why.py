"""Why, of a real store: by id or by path, with a row in the audit log."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule
from docgraph.model.errors import BadInput, NotVisible
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from tests.support.engines import make_engine
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_source import MemorySource
from tests.support.stored_content import stored_content

DOCUMENTS = load("documents")
LONG = "# Fuel\n\n" + "".join(f"## Part {at}\n\nfuel {at} {'burns ' * 40}\n\n" for at in range(9))
TEXTS = {"docs/a.md": LONG, "b.md": "# Orbit\n\nround\n", "c.py": "def burn():\n    return 1\n"}


@pytest.fixture
def audit() -> MemoryAudit:
    return MemoryAudit()


@pytest.fixture
def engine(tmp_path: Path, audit: MemoryAudit) -> Engine:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    made = make_engine(store, audit)
    ingest_source(made, "r", TEXTS)
    return made


def ingest_source(
    engine: Engine, repository: str, texts: Mapping[str, str], rule: AccessRule = LOCAL_ONLY
) -> None:
    engine.content.ingest(
        local(), MemorySource(texts), repository=repository, branch="main", rule_for=lambda _: rule
    )


def test_a_path_is_enough_where_one_visible_node_fits(engine: Engine) -> None:
    ingest_source(engine, "dark", TEXTS, AccessRule(LOCAL))
    for written, node in (
        ("docs/a.md", "r:docs/a.md"),
        ("docs/a.md#part-3", "r:docs/a.md#part-3"),
        ("c.py::burn", "r:c.py::burn"),
        ("docs/a.md#part-3@3", "r:docs/a.md#part-3@3"),
    ):
        found = engine.questions.why(QuestionRequest(local(), DOCUMENTS, "fuel"), written)
        assert found.node == node


def test_a_path_that_fits_several_is_refused_with_those_that_fit(engine: Engine) -> None:
    ingest_source(engine, "s", TEXTS)
    ingest_source(engine, "dark", TEXTS, AccessRule(LOCAL))
    with pytest.raises(BadInput, match=r"name one of them whole: r:b\.md, s:b\.md$"):
        engine.questions.why(QuestionRequest(local(), DOCUMENTS, "fuel"), "b.md")


def test_a_section_is_found_by_its_span(engine: Engine) -> None:
    fetched = DOCUMENTS.with_options("fetch_evidence", per_document=1)
    stages = {
        at: engine.questions.why(
            QuestionRequest(local(), fetched, "fuel 3"), f"r:docs/a.md#part-{at}"
        ).stage
        for at in range(9)
    }
    assert sorted(stages.values()) == ["fetch"] * 8 + ["included"]
    whole = engine.questions.why(QuestionRequest(local(), load("code"), "burn"), "r:c.py::burn")
    assert whole.stage == "included"


def test_an_explanation_leaves_a_row_and_an_unknown_node_a_denial(
    engine: Engine, audit: MemoryAudit
) -> None:
    audit.rows.clear()
    engine.questions.why(QuestionRequest(local(), DOCUMENTS, "fuel"), "r:b.md")
    with pytest.raises(NotVisible, match=r"no visible node has the id 'r:zz.md'"):
        engine.questions.why(QuestionRequest(local(), DOCUMENTS, "fuel"), "r:zz.md")
    assert [(row.action, row.outcome, row.detail) for row in audit.rows] == [
        ("why", "succeeded", ""),
        ("why", "denied", "not visible: r:zz.md"),
    ]


def test_asking_why_writes_nothing(engine: Engine, tmp_path: Path) -> None:
    before = stored_content(tmp_path / "s.db")
    narrow: Pipeline = DOCUMENTS.with_options("search_nodes", top=1)
    assert engine.questions.why(QuestionRequest(local(), narrow, "fuel"), "r:b.md").change
    assert stored_content(tmp_path / "s.db") == before


def test_all_tries_see_one_state_of_the_store(engine: Engine) -> None:
    opened = 0
    inner = engine.content.store.open_session

    def counted(*arguments: object) -> object:
        nonlocal opened
        opened += 1
        return inner(*arguments)  # type: ignore[arg-type]

    engine.content.store.open_session = counted  # type: ignore[method-assign, assignment]
    narrow = DOCUMENTS.with_options("search_nodes", top=1)
    assert engine.questions.why(QuestionRequest(local(), narrow, "fuel"), "r:b.md").runs > 1
    assert opened == 2  # the first one alone sees whether the question has to be embedded


def test_seeds_may_take_the_place_of_a_question(engine: Engine) -> None:
    found = engine.questions.why(
        QuestionRequest(local(), DOCUMENTS, "", seeds=("r:docs/a.md",)), "r:b.md"
    )
    assert found.stage == "relation"
    assert [one.new for one in found.change] == [("r:docs/a.md", "r:b.md")]
