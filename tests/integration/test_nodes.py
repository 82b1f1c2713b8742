"""Nodes by id: forbidden nodes are left out like absent ones; that none is left is an error."""

from pathlib import Path

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.audit import DENIED
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.request import MAX_IDS
from tests.support.engines import make_engine
from tests.support.memory_audit import MemoryAudit
from tests.support.small_world import IDENTITY, document, write

HIDDEN = AccessRule("local", frozenset({"others"}))


@pytest.fixture
def audit() -> MemoryAudit:
    return MemoryAudit()


@pytest.fixture
def engine(tmp_path: Path, audit: MemoryAudit) -> Engine:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        open_one = document("a.md", "apples are red", "pears are green", sections=True)
        write(writes, [open_one, document("h.md", "secret", rule=HIDDEN)])
        writes.publish()
    return make_engine(store, audit)


def test_a_document_a_section_and_a_chunk_each_give_their_own_text(engine: Engine) -> None:
    ids = ("r:a.md#s1@1", "r:a.md", "r:a.md#s0")
    chunk, whole, section = engine.questions.nodes(local(), ids)
    assert (chunk.text, chunk.kind, chunk.node) == ("pears are green", "chunk", "r:a.md#s1")
    assert whole.text == "apples are red\npears are green"
    assert (section.text, section.title) == ("apples are red", "part 0")
    assert {node.document_id for node in (chunk, whole, section)} == {"r:a.md"}
    assert [node.location.first_line for node in (chunk, whole, section)] == [2, 1, 1]
    assert whole.access == "readable by group local"
    assert {node.ingestion_id for node in (chunk, whole, section)} == {"r:main:1"}


def test_a_node_names_the_ingestion_that_brought_its_version(engine: Engine) -> None:
    """The snapshot in which it first appeared; those of other documents do not count."""
    for path, text in (("b.md", "pears"), ("a.md", "apples are green")):
        with engine.content.store.open_writer("local", "r", "main", IDENTITY) as writes:
            write(writes, [document(path, text)])
            writes.publish()
    (found,) = engine.questions.nodes(local(), ("r:a.md",))
    assert found.ingestion_id == "r:main:3"
    old = (SnapshotSelector("r", "main", 2),)
    nodes = engine.questions.nodes(local(), ("r:b.md", "r:a.md#s1@1"), scope=old)
    assert [node.ingestion_id for node in nodes] == ["r:main:2", "r:main:1"]


def test_nodes_without_texts_have_the_same_other_fields(engine: Engine) -> None:
    ids = ("r:a.md", "r:a.md#s1@1")
    nodes = engine.questions.nodes(local(), ids, whole=False)
    assert [node.text for node in nodes] == [None, None]
    assert [(node.id, node.title) for node in nodes] == [
        (node.id, node.title) for node in engine.questions.nodes(local(), ids)
    ]


@pytest.mark.requirement(34)
@pytest.mark.requirement(36)
def test_forbidden_and_absent_are_left_out_alike(engine: Engine, audit: MemoryAudit) -> None:
    missing = ("r:h.md", "r:h.md@0", "r:none.md", "r:a.md@7", "r:a.md#s0@1", "@1", "", "a\0b")
    with pytest.raises(NotVisible, match=r"no visible node has the id 'r:h.md'"):
        engine.questions.nodes(local(), missing)
    assert [node.id for node in engine.questions.nodes(local(), (*missing, "r:a.md"))] == ["r:a.md"]
    denied = [row for row in audit.rows if row.outcome == DENIED]
    assert len(denied) == 2
    assert "r:h.md" in denied[0].detail


def test_ids_must_be_valid_text_and_not_too_many(engine: Engine) -> None:
    with pytest.raises(BadInput, match="not text"):
        engine.questions.nodes(local(), ("\ud800",))
    with pytest.raises(BadInput, match="at most"):
        engine.questions.nodes(local(), [f"r:{at}.md" for at in range(MAX_IDS + 1)])
