"""Mining is monotone: an edge depends on its two ends alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.mine.claims import Unresolved
from docgraph.ingest.mine.mine import ALL_MINERS, mine
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.identity import path_of
from tests.unit.ingest.fakes import corpus

TEXTS = {
    "adr/0001-a.md": "# Mercury\n\n* Status: superseded by ADR-2\n\nSee [b](0002-b.md#why).\n",
    "adr/0002-b.md": "# Mercury (planet)\n\n## Why\n\nMercury and New York City. [x](../x)\n",
    "old/adr/0002-c.md": "---\nsupersedes: [ADR-1, Mercury]\n---\n# New York\n\nMercury\n",
    "x.md": "# New York City\n\nin New York, on Mercury (planet)\n",
    "x/README.md": "# Mercury\n\n[up](/adr/0001-a.md)\n",
    "x.rst": "PEP: 7\nReplaces: 8\n\n:pep:`8` :doc:`x`\n",
    "pep-0008.txt": "Title: New York\nRequires: 7\n\nx",
    "pkg/a.py": "from . import b\nfrom pkg.b import f\nimport b\n",
    "pkg/b.py": "def f(): ...\n# the New York City\n",
    "v/pkg/b.py": "def f(): ...\nimport pkg.a\n",
    "b.py": "from pkg import b\n",
}


@pytest.mark.requirement(36)
@given(st.sets(st.sampled_from(sorted(TEXTS))))
def test_what_is_not_there_changes_no_edge_between_what_is(kept: set[str]) -> None:
    whole = mine(corpus(TEXTS)).relationships
    part = mine(corpus({path: TEXTS[path] for path in sorted(kept)})).relationships
    inside = [r for r in whole if {path_of(r.edge.source), path_of(r.edge.target)} <= kept]
    assert list(part) == inside


def test_this_corpus_uses_every_miner() -> None:
    assert {name for name, _ in mine(corpus(TEXTS)).found} == ALL_MINERS


@pytest.mark.requirement(7)
def test_the_order_of_files_does_not_count() -> None:
    assert mine(corpus(TEXTS)) == mine(corpus(dict(reversed(TEXTS.items()))))


@pytest.mark.requirement(4)
def test_an_edge_stands_once_and_edges_are_sorted() -> None:
    edges = [found.edge for found in mine(corpus(TEXTS)).relationships]
    assert edges == sorted(set(edges))


def test_a_miner_can_be_switched_off() -> None:
    found = mine(corpus(TEXTS), frozenset({"links"}))
    assert {origin for r in found.relationships for origin in r.origins} == {"links"}
    assert mine(corpus(TEXTS), frozenset()).relationships == ()


def test_an_unknown_miner_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="no miner is called x; known: headers, imports, links"):
        mine(corpus({}), frozenset({"links", "x"}))


def test_given_edges_join_those_that_are_mined() -> None:
    place = Evidence("edges.jsonl", 1, 0, 0, 0, "references")
    edge = Edge("r:a.md", "references", "r:b.md")
    files = corpus({"a.md": "[b](b.md)", "b.md": ""})
    (found,) = mine(files, given=[Relationship(edge, ("given",), (place,))]).relationships
    assert found.origins == ("given", "links")
    assert [evidence.path for evidence in found.evidence] == ["a.md", "edges.jsonl"]


@pytest.mark.requirement(4)
def test_a_given_edge_to_nothing_is_unresolved_and_not_stored() -> None:
    place = Evidence("edges.jsonl", 7, 0, 0, 0, "requires")
    told = Relationship(Edge("r:a.md", "requires", "r:gone"), ("given",), (place,))
    found = mine(corpus({"a.md": ""}), given=[told])
    assert found.relationships == ()
    assert found.unresolved == (Unresolved("edges.jsonl", 7, "r:gone"),)
