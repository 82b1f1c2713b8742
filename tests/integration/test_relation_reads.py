"""What planning reads of relations: rows are counted, whatever else the store holds."""

from pathlib import Path

import pytest

from docgraph.adapters.sql.database import Row
from docgraph.adapters.sqlite.database import SqliteQueries
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.document import Document
from docgraph.plan.resolved_edges import outgoing_edges
from tests.conformance.published import publish
from tests.support.small_world import document, reference

MENTIONS, DEFINITIONS, OTHERS = 40, 30, 300
PAGE = "r:page.md"
FEW = 5  # rows that say which versions and nodes are read


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each query gives from now on."""
    counts: list[int] = []
    rows = SqliteQueries.rows

    def counted(self: SqliteQueries, query: str, /, **values: object) -> list[Row]:
        found = rows(self, query, **values)
        counts.append(len(found))
        return found

    monkeypatch.setattr(SqliteQueries, "rows", counted)
    return counts


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "store.db", now=lambda: "now")


def page(*keys: str, node: str = PAGE) -> Document:
    """Names these keys in one node, each at a place of its own."""
    references = [reference(node, key, at=10 * at) for at, key in enumerate(keys)]
    return document("page.md", "one", "two", sections=True, references=references)


def holders(key: str, many: int) -> list[Document]:
    return [document(f"{key}/{n:03}.md", key, definitions={key: 0}) for n in range(many)]


def test_a_name_costs_its_mentions_and_its_definitions_but_not_their_product(
    store: SqliteStore, read: list[int]
) -> None:
    publish(store, page(*["common"] * MENTIONS), *holders("common", DEFINITIONS))
    with store.open_session(local()) as reads:
        read.clear()
        (found,) = reads.graph.candidates((PAGE,))
    assert len(found.spans) == MENTIONS
    assert len(found.targets) == DEFINITIONS
    assert sum(read) <= MENTIONS + DEFINITIONS + FEW


def test_a_name_without_a_definition_and_other_documents_cost_nothing(
    store: SqliteStore, read: list[int]
) -> None:
    others = [
        document(f"other/{n}.md", "x", definitions={"far": 0}, references=[far])
        for n in range(OTHERS)
        for far in [reference(f"r:other/{n}.md", "far")]
    ]
    publish(store, page("near", *["absent"] * OTHERS), *holders("near", 1), *others)
    with store.open_session(local()) as reads:
        read.clear()
        (edge,) = outgoing_edges(reads.graph, (PAGE,))
    assert edge.edge.target == "r:near/000.md"
    assert sum(read) <= 2 + FEW


def test_a_section_costs_its_own_references_alone(store: SqliteStore, read: list[int]) -> None:
    whole = page(*["near"] * OTHERS)
    own = reference(f"{PAGE}#s0", "near", at=10 * OTHERS)
    held = document("page.md", "one", "two", sections=True, references=[*whole.references, own])
    publish(store, held, *holders("near", 1))
    with store.open_session(local()) as reads:
        read.clear()
        (edge,) = outgoing_edges(reads.graph, (f"{PAGE}#s0",))
    assert (edge.edge.source, edge.first_mention) == (f"{PAGE}#s0", 10 * OTHERS)
    nodes = 3  # of the page, by which those inside the section are known
    assert sum(read) <= 2 + nodes + FEW
