"""A store without the edges that would give an answer away; everything else is as it was."""

from pathlib import Path

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.evaluation.ablation import AblatedStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import Edge, Relationship
from docgraph.testing.small_store import hash_vector
from tests.support.graph_edges import all_edges
from tests.support.small_world import IDENTITY, document, write

EDGES = (
    Edge("r:a", "references", "r:b"),
    Edge("r:a", "references", "r:c"),
    Edge("r:a#s0", "explains", "r:b#s0"),
    Edge("r:b", "mentions", "r:a"),
    Edge("r:c", "references", "r:b"),
)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore(tmp_path / "store.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        write(writes, [document(name, f"words of {name}", sections=True) for name in "abc"])
        writes.edges.replace_imported([Relationship(edge, ("imported",), ()) for edge in EDGES])
        writes.publish()
    return store


def held_out(store: SqliteStore, *pairs: tuple[str, str]) -> AblatedStore:
    return AblatedStore(store, frozenset(pairs))


@pytest.mark.parametrize("pair", [("r:a", "r:b"), ("r:b", "r:a")])
def test_a_held_out_pair_has_no_edge_in_either_direction_nor_between_its_parts(
    store: SqliteStore, pair: tuple[str, str]
) -> None:
    kept = [Edge("r:a", "references", "r:c"), Edge("r:c", "references", "r:b")]
    whole = ("r:a", "r:b", "r:c")
    with held_out(store, pair).open_session(local()) as reads:
        for found in (
            all_edges(reads.graph),
            reads.graph.edges(whole),
            reads.graph.edges(whole, "in"),
        ):
            assert [one.edge for one in found] == kept


def test_relations_and_directions_are_passed_on(store: SqliteStore) -> None:
    only = frozenset({"explains"})
    with held_out(store, ("r:a", "r:c")).open_session(local()) as reads:
        assert [f.edge.target for f in reads.graph.edges(("r:a",), "out", only)] == ["r:b#s0"]
        assert [f.edge.source for f in reads.graph.edges(("r:b",), "in", only)] == ["r:a#s0"]
        assert [f.edge.relation for f in all_edges(reads.graph, only)] == ["explains"]


def test_a_held_out_document_can_still_be_found(store: SqliteStore) -> None:
    vector = tuple(int(value) for value in hash_vector("words"))
    with (
        held_out(store, ("r:a", "r:b")).open_session(local()) as reads,
        store.open_session(local()) as whole,
    ):
        assert reads.graph.visible_ids(("r:a", "r:b", "r:x")) == ("r:a", "r:b")
        rows = reads.search.nearest(vector, over="documents", roll_up=True, top=9)
        assert {node for node, _ in rows} == {"r:a", "r:b", "r:c"}
        assert (reads.embedder, reads.scope) == (whole.embedder, whole.scope)
        assert reads.counts() == whole.counts()


def test_without_pairs_nothing_changes(store: SqliteStore) -> None:
    with held_out(store).open_session(local()) as reads:
        assert tuple(found.edge for found in all_edges(reads.graph)) == EDGES


def test_a_relation_is_held_out_with_its_inverse_and_nothing_else(store: SqliteStore) -> None:
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        more = (Edge("r:a", "replaces", "r:c"), Edge("r:c", "replaced_by", "r:a"))
        writes.edges.replace_imported(
            [Relationship(edge, ("imported",), ()) for edge in (*EDGES, *more)]
        )
        writes.publish()
    for relation in ("replaces", "replaced_by"):
        without = AblatedStore(store, frozenset(), frozenset({relation}))
        with without.open_session(local()) as reads:
            assert tuple(found.edge for found in all_edges(reads.graph)) == EDGES


def test_what_is_written_through_it_is_in_the_store(store: SqliteStore) -> None:
    with held_out(store, ("r:a", "r:b")).open_writer("local", "r", "main", IDENTITY) as writes:
        write(writes, [document("d", "more")])
        writes.publish()
    with store.open_session(local()) as reads:
        assert reads.graph.visible_ids(("r:d",)) == ("r:d",)
        assert len(all_edges(reads.graph)) == len(EDGES)
