"""A pipeline that compares ingestions, on both stores: what the same ingest brought stays."""

import re
from collections.abc import Iterator

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.load import load_text, shipped_pipelines
from docgraph.pipeline.request import QuestionRequest
from tests.interference.postgres_factories import on_postgres
from tests.interference.store_factories import on_sqlite
from tests.interference.stores import MachineStore
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import VISIBLE
from tests.support.postgres_server import PostgresServer

MAIN = BranchName(LOCAL, "r", "main")
COMPARING = """
pipeline: batches
extends: strict
change:
  select_scope: {repository: ingestion, share: 0.51}
"""
FIRST = {f"{n}.md": f"# Minutes {n}\n\nrocket fuel thrust valve\n" for n in range(4)}
SECOND = {"late.md": "# Minutes 9\n\nrocket fuel thrust valve\n"}
QUESTION = "rocket fuel thrust valve"


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[MachineStore]:
    """Two ingests; the second brings one document."""
    if request.param == "sqlite":
        made = MachineStore(on_sqlite)
        yield fill(made)
        made.close()
    else:
        with on_postgres(postgres) as factory:
            made = MachineStore(factory)
            yield fill(made)
            made.close()


def fill(store: MachineStore) -> MachineStore:
    for texts in (FIRST, {**FIRST, **SECOND}):
        store.ingest(MAIN, BranchContent(texts), dict.fromkeys(texts, VISIBLE[0]))
    return store


def planned(store: MachineStore, pipeline: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    loaded = load_text(pipeline, shipped_pipelines())
    plan = store.engine.questions.plan(QuestionRequest(local(), loaded, QUESTION)).plan
    selection = plan.constraints.selection
    return plan.documents, selection.reason, selection.dropped


@pytest.mark.requirement(19)
def test_documents_of_another_ingestion_are_left_out(store: MachineStore) -> None:
    documents, reason, dropped = planned(store, COMPARING)
    assert re.match(r"ingestion of r:\d\.md dominates; ", reason)
    assert sorted(documents) == [f"r:{path}" for path in FIRST]
    assert dropped == ("r:late.md",)


def test_by_default_one_repository_is_one_scope(store: MachineStore) -> None:
    documents, reason, dropped = planned(store, "{pipeline: plain, extends: strict}")
    assert reason.startswith("repository r dominates; ")
    assert sorted(documents) == [f"r:{path}" for path in (*FIRST, *SECOND)]
    assert dropped == ()


def test_a_changed_document_is_of_the_ingestion_that_changed_it(store: MachineStore) -> None:
    """In an old snapshot it is of the one that it was of then."""
    texts = {**FIRST, **SECOND, "1.md": FIRST["1.md"] + "\nAmended.\n"}
    store.ingest(MAIN, BranchContent(texts), dict.fromkeys(texts, VISIBLE[0]))
    ids = ("r:1.md", "r:0.md", "r:late.md")
    nodes = store.engine.questions.nodes
    assert [one.ingestion_id for one in nodes(local(), ids)] == ["r:main:3", "r:main:1", "r:main:2"]
    old = (SnapshotSelector("r", "main", 2),)
    assert [one.ingestion_id for one in nodes(local(), ids[:1], scope=old)] == ["r:main:1"]
    _, _, dropped = planned(store, COMPARING)
    assert set(dropped) == {"r:1.md", "r:late.md"}
