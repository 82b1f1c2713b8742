"""Edges sort by exactly (source, relation, target)."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.edge import Edge, Relationship

edges = st.builds(Edge, st.text(), st.text(), st.text())


@given(st.lists(edges))
def test_edges_sort_by_source_relation_target(found: list[Edge]) -> None:
    keys = [(edge.source, edge.relation, edge.target) for edge in sorted(found)]
    assert keys == sorted(keys)


@given(st.lists(edges, unique=True))
def test_relationships_sort_as_their_edges_do(found: list[Edge]) -> None:
    relationships = [Relationship(edge, ("test",), ()) for edge in found]
    assert [r.edge for r in sorted(relationships)] == sorted(found)
