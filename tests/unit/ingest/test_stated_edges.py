"""Given edges: those that came with a corpus, or that people wrote down."""

from dataclasses import replace

import pytest

from docgraph.ingest.relations_file import take_given, with_inverses
from docgraph.model.edge import INVERSES, Edge, EdgeEvidence, Relationship
from docgraph.model.reference import UnresolvedReference
from docgraph.ports.writes import BuiltDocument
from tests.unit.ingest.fakes import built
from tests.unit.ingest.memory_writer import MemoryWriter

PLACE = EdgeEvidence("edges.jsonl", 7, 3, 9, 2, "requires")


def writes_with(*paths: str) -> MemoryWriter:
    writes = MemoryWriter()
    writes.documents.add(
        [BuiltDocument(built(path, "# A\n\n## S\n"), (), (), ()) for path in paths]
    )
    return writes


def given(source: str, relation: str, target: str, *places: EdgeEvidence) -> Relationship:
    return Relationship(Edge(source, relation, target), ("given",), places)


def test_an_edge_between_nodes_that_are_there_is_kept_as_it_was_given_but_for_its_line() -> None:
    writes = writes_with("a.md", "b.md")
    told = given("r:a.md#s", "requires", "r:b.md", PLACE)
    assert take_given(writes.documents, writes.edges, [told]) == ()
    assert writes.edges.imported == (
        given("r:a.md#s", "requires", "r:b.md", replace(PLACE, line=0)),
    )


@pytest.mark.requirement(36)
@pytest.mark.parametrize("relation", ["requires", "supersedes"])
def test_what_stands_above_an_entry_changes_nothing_of_its_edge(relation: str) -> None:
    kept = []
    for above in (0, 12):
        writes = writes_with("a.md", "b.md")
        places = [
            replace(PLACE, line=line + above, says=says) for line, says in ((3, "y"), (9, "x"))
        ]
        take_given(
            writes.documents,
            writes.edges,
            [given("r:a.md", relation, "r:b.md", place) for place in places],
        )
        kept.append(writes.edges.imported)
    assert kept[0] == kept[1]
    assert [(place.line, place.says) for place in kept[0][0].evidence] == [(0, "x"), (0, "y")]


@pytest.mark.requirement(4)
def test_an_edge_with_a_missing_end_is_unresolved_and_not_stored() -> None:
    writes = writes_with("a.md")
    told = [
        given("r:a.md", "requires", "r:gone", PLACE),
        given("r:a.md#gone", "explains", "r:a.md"),
        given("q:a.md", "requires", "q:b.md", PLACE),
    ]
    assert take_given(writes.documents, writes.edges, told) == (
        UnresolvedReference("", 0, "r:a.md#gone"),
        UnresolvedReference("edges.jsonl", 7, "q:a.md"),
        UnresolvedReference("edges.jsonl", 7, "q:b.md"),
        UnresolvedReference("edges.jsonl", 7, "r:gone"),
    )
    assert writes.edges.imported == ()


def test_an_edge_given_twice_is_one_and_shows_all_that_was_said() -> None:
    writes = writes_with("a.md", "b.md")
    places = [EdgeEvidence("edges.jsonl", line, 0, 0, 0, str(line % 2)) for line in (3, 2, 1)]
    take_given(
        writes.documents,
        writes.edges,
        [given("r:a.md", "requires", "r:b.md", place) for place in places],
    )
    (found,) = writes.edges.imported
    assert [place.says for place in found.evidence] == ["0", "1"]


def test_what_is_no_longer_given_is_gone() -> None:
    writes = writes_with("a.md", "b.md")
    take_given(writes.documents, writes.edges, [given("r:a.md", "requires", "r:b.md")])
    take_given(writes.documents, writes.edges, [])
    assert writes.edges.imported == ()


@pytest.mark.requirement(5)
def test_a_given_lifecycle_edge_is_stored_both_ways() -> None:
    writes = writes_with("a.md", "b.md")
    take_given(writes.documents, writes.edges, [given("r:a.md", "supersedes", "r:b.md", PLACE)])
    assert [found.edge for found in writes.edges.imported] == [
        Edge("r:a.md", "supersedes", "r:b.md"),
        Edge("r:b.md", "superseded_by", "r:a.md"),
    ]


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_edge_from_old_to_new(relation: str) -> None:
    told = given("r:a", relation, "r:b", PLACE)
    same, inverse = with_inverses([told])
    assert same == told
    assert inverse.edge == Edge("r:b", INVERSES[relation], "r:a")
    assert inverse.evidence == (EdgeEvidence("edges.jsonl", 7, 0, 0, 0, "requires"),)


def test_other_relations_have_one_direction() -> None:
    told = given("r:a", "requires", "r:b")
    assert list(with_inverses([told])) == [told]
