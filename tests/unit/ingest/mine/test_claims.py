"""Claims on one edge are united; lifecycle relations are stored both ways."""

import pytest

from docgraph.ingest.mine.claims import MOST_EVIDENCE, united, with_inverses
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.relation import INVERSES

EDGE = Edge("r:a", "references", "r:b")


def evidence(line: int) -> Evidence:
    return Evidence("a", line, line, line + 1, 0, "b")


def test_origins_and_evidence_of_an_edge_are_united() -> None:
    one = Relationship(EDGE, ("links",), (evidence(2), evidence(3)))
    two = Relationship(EDGE, ("given",), (evidence(1), evidence(2)))
    whole = Relationship(EDGE, ("given", "links"), (evidence(1), evidence(2), evidence(3)))
    assert united([one, two]) == united([two, one]) == (whole,)


def test_the_first_places_are_kept() -> None:
    many = Relationship(EDGE, ("links",), tuple(evidence(line) for line in range(99, 0, -1)))
    (found,) = united([many])
    assert [e.line for e in found.evidence] == list(range(1, MOST_EVIDENCE + 1))


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_edge_from_old_to_new(relation: str) -> None:
    told = Relationship(Edge("r:a", relation, "r:b"), ("headers",), (evidence(4),))
    same, inverse = with_inverses([told])
    assert same == told
    assert inverse.edge == Edge("r:b", INVERSES[relation], "r:a")
    assert inverse.evidence == (Evidence("a", 4, 0, 0, 0, "b"),)


def test_other_relations_have_one_direction() -> None:
    told = Relationship(EDGE, ("links",), ())
    assert list(with_inverses([told])) == [told]
