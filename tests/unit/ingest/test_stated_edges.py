"""Stated edges: those that come with a corpus, and those of relations.yaml."""

from dataclasses import replace

import pytest

from docgraph.ingest.relations_file import add_inverses, write_stated_edges
from docgraph.model.edge import INVERSES, Edge, EdgeEvidence, Relationship
from docgraph.model.reference import UnresolvedReference
from docgraph.ports.writes import BuiltDocument
from tests.unit.ingest.fakes import built
from tests.unit.ingest.memory_writer import MemoryWriter

EVIDENCE = EdgeEvidence("edges.jsonl", 7, 3, 9, 2, "requires")


def writer_with(*paths: str) -> MemoryWriter:
    writer = MemoryWriter()
    writer.documents.add(
        [BuiltDocument(built(path, "# A\n\n## S\n"), (), (), ()) for path in paths]
    )
    return writer


def edge_stated(source: str, relation: str, target: str, *evidence: EdgeEvidence) -> Relationship:
    return Relationship(Edge(source, relation, target), ("imported",), evidence)


def test_an_edge_between_existing_nodes_is_stored_without_its_line() -> None:
    writer = writer_with("a.md", "b.md")
    stated = edge_stated("r:a.md#s", "requires", "r:b.md", EVIDENCE)
    assert write_stated_edges(writer.documents, writer.edges, [stated]) == ()
    assert writer.edges.imported == (
        edge_stated("r:a.md#s", "requires", "r:b.md", replace(EVIDENCE, line=0)),
    )


@pytest.mark.requirement(36)
@pytest.mark.parametrize("relation", ["requires", "supersedes"])
def test_entries_above_an_entry_change_nothing_of_its_edge(relation: str) -> None:
    stored = []
    for above in (0, 12):
        writer = writer_with("a.md", "b.md")
        evidence = [
            replace(EVIDENCE, line=line + above, text=says) for line, says in ((3, "y"), (9, "x"))
        ]
        write_stated_edges(
            writer.documents,
            writer.edges,
            [edge_stated("r:a.md", relation, "r:b.md", one) for one in evidence],
        )
        stored.append(writer.edges.imported)
    assert stored[0] == stored[1]
    assert [(one.line, one.text) for one in stored[0][0].evidence] == [(0, "x"), (0, "y")]


@pytest.mark.requirement(4)
def test_an_edge_with_a_missing_end_is_unresolved_and_not_stored() -> None:
    writer = writer_with("a.md")
    stated = [
        edge_stated("r:a.md", "requires", "r:gone", EVIDENCE),
        edge_stated("r:a.md#gone", "explains", "r:a.md"),
        edge_stated("q:a.md", "requires", "q:b.md", EVIDENCE),
    ]
    assert write_stated_edges(writer.documents, writer.edges, stated) == (
        UnresolvedReference("", 0, "r:a.md#gone"),
        UnresolvedReference("edges.jsonl", 7, "q:a.md"),
        UnresolvedReference("edges.jsonl", 7, "q:b.md"),
        UnresolvedReference("edges.jsonl", 7, "r:gone"),
    )
    assert writer.edges.imported == ()


def test_an_edge_stated_twice_is_one_with_all_its_evidence() -> None:
    writer = writer_with("a.md", "b.md")
    evidence = [EdgeEvidence("edges.jsonl", line, 0, 0, 0, str(line % 2)) for line in (3, 2, 1)]
    write_stated_edges(
        writer.documents,
        writer.edges,
        [edge_stated("r:a.md", "requires", "r:b.md", one) for one in evidence],
    )
    (found,) = writer.edges.imported
    assert [one.text for one in found.evidence] == ["0", "1"]


def test_an_edge_that_is_no_longer_stated_is_removed() -> None:
    writer = writer_with("a.md", "b.md")
    write_stated_edges(
        writer.documents, writer.edges, [edge_stated("r:a.md", "requires", "r:b.md")]
    )
    write_stated_edges(writer.documents, writer.edges, [])
    assert writer.edges.imported == ()


@pytest.mark.requirement(5)
def test_a_stated_lifecycle_edge_is_stored_in_both_directions() -> None:
    writer = writer_with("a.md", "b.md")
    write_stated_edges(
        writer.documents, writer.edges, [edge_stated("r:a.md", "supersedes", "r:b.md", EVIDENCE)]
    )
    assert [found.edge for found in writer.edges.imported] == [
        Edge("r:a.md", "supersedes", "r:b.md"),
        Edge("r:b.md", "superseded_by", "r:a.md"),
    ]


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_edge_from_old_to_new(relation: str) -> None:
    stated = edge_stated("r:a", relation, "r:b", EVIDENCE)
    same, inverse = add_inverses([stated])
    assert same == stated
    assert inverse.edge == Edge("r:b", INVERSES[relation], "r:a")
    assert inverse.evidence == (EdgeEvidence("edges.jsonl", 7, 0, 0, 0, "requires"),)


def test_other_relations_have_one_direction() -> None:
    stated = edge_stated("r:a", "requires", "r:b")
    assert list(add_inverses([stated])) == [stated]
