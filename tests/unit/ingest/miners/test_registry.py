"""Mining is monotone: a half of an edge depends on one document, an edge on its two ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.miners.registry import ALL_MINERS, SHIPPED_MINERS
from docgraph.model.edge import SHARES_ENTITY
from docgraph.model.errors import BadInput
from docgraph.model.node import path_of
from tests.unit.ingest.fakes import candidates, ingested

TEXTS = {
    "adr/0001-a.md": "# Mercury\n\n* Status: superseded by ADR-2\n\nSee [b](0002-b.md#why).\n",
    "adr/0002-b.md": "# Mercury (planet)\n\n## Why\n\nMercury and New York City. [x](../x)\n",
    "old/adr/0002-c.md": "---\nsupersedes: [ADR-1, Mercury]\n---\n# New York\n\nMercury, ADR-2\n",
    "x.md": "# New York City\n\nin New York, on Mercury (planet), as pkg/b.py and `f` do\n",
    "x/README.md": "# Mercury\n\n[up](/adr/0001-a.md) by Marie Curie\n",
    "x.rst": "PEP: 7\nReplaces: 8\n\n:pep:`8` :doc:`x`, said Marie Curie of PEP 8\n",
    "pep-0008.txt": "Title: New York\nRequires: 7\n\nx",
    "pkg/a.py": "from . import b\nfrom pkg.b import f\nimport b\n\n\nclass A(b.B):\n    x = f()\n",
    "pkg/b.py": "def f(): ...\n# the New York City\n\n\nclass B: ...\n",
    "v/pkg/b.py": "def f(): ...\nimport pkg.a\n",
    "b.py": "from pkg import b\n",
}


@pytest.mark.requirement(36)
@given(st.sets(st.sampled_from(sorted(TEXTS)), min_size=1))
def test_what_is_not_there_changes_no_edge_between_what_is(kept: set[str]) -> None:
    whole = candidates(TEXTS)
    part = candidates({path: TEXTS[path] for path in sorted(kept)})
    inside = [r for r in whole if {path_of(r.edge.source), path_of(r.edge.target)} <= kept]
    assert list(part) == inside


@pytest.mark.requirement(36)
@pytest.mark.parametrize("path", sorted(TEXTS))
def test_definitions_and_references_of_a_document_depend_on_its_text_alone(
    path: str,
) -> None:
    among = ingested(TEXTS)[0].documents.by_path()[path]
    alone = ingested({path: TEXTS[path]})[0].documents.by_path()[path]
    assert alone.definitions == among.definitions
    assert set(alone.references) == {one for one in among.references if one.miner != "titles"}


def test_this_corpus_uses_every_miner_but_those_of_tables() -> None:
    origins = {origin for found in candidates(TEXTS) for origin in found.origins}
    assert origins == ALL_MINERS - {"tables"}


@pytest.mark.requirement(7)
def test_the_order_of_files_does_not_count() -> None:
    assert candidates(TEXTS) == candidates(dict(reversed(TEXTS.items())))


@pytest.mark.requirement(4)
def test_an_edge_is_listed_once_and_edges_are_sorted() -> None:
    edges = [found.edge for found in candidates(TEXTS)]
    assert edges == sorted(set(edges))


def test_a_miner_can_be_switched_off() -> None:
    found = candidates(TEXTS, "links")
    assert {origin for r in found for origin in r.origins} == {"links"}
    without = candidates(TEXTS, *sorted(ALL_MINERS - {"links"}))
    assert {origin for r in without for origin in r.origins} == ALL_MINERS - {"links", "tables"}
    assert ingested(TEXTS, frozenset())[0].relationships() == ()


def test_a_switched_off_miner_removes_its_own_references_and_no_others() -> None:
    """ADR-12 is in a header and in a text: both miners refer by the same characters."""
    files = {"a.md": "---\nrelated: ADR-12\n---\n", "adr/0012-x.md": ""}
    for miner in ("headers", "identifiers"):
        (found,) = candidates(files, miner)
        assert found.origins == (miner,)
    (both,) = candidates(files, "headers", "identifiers")
    assert both.origins == ("headers", "identifiers")


def test_no_document_defines_an_entity_name() -> None:
    documents = ingested(TEXTS)[0].documents.by_path().values()
    names = {c.target.key for d in documents for c in d.references if c.relation == SHARES_ENTITY}
    assert names
    assert names.isdisjoint(one.key for found in documents for one in found.definitions)


def test_an_unknown_miner_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="no miner is called x; known: calls, documents, headers"):
        SHIPPED_MINERS.without(("links", "x"))
    assert SHIPPED_MINERS.without(("links",)) == ALL_MINERS - {"links"}
