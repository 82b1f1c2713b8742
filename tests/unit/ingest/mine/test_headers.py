"""Headers say how a document stands to others."""

import pytest

from docgraph.ingest.mine.claims import Claim
from docgraph.ingest.mine.headers import RELATION_OF, headers
from docgraph.model.relation import RELATIONS
from tests.unit.ingest.fakes import claims, corpus, unresolved


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("new.md", "---\nsupersedes: adr/0003-old.md\n---\n"),
        ("new.md", "---\nsupersedes: [ADR-0003]\n---\n"),
        ("new.md", "---\nsupersedes: 0003-old\n---\n"),
        ("new.md", "---\nsupersedes: r:adr/0003-old.md\n---\n"),
        ("new.md", "---\nsupersedes: The old way\n---\n"),
        ("new.md", "# New\n\n**Supersedes:** [ADR 3](adr/0003-old.md)\n"),
        ("new.md", "# New\n\n## Status\n\nAccepted. Supercedes [3](adr/0003-old.md)\n"),
        ("adr/9.md", "# 9\n\n* Supersedes: 3\n"),
        ("new.rst", "New\n===\n\n:Supersedes: `ADR-3 <adr/0003-old.md>`_\n"),
        ("new.txt", "Title: x\nSupersedes: ADR 3 (in parts)\n\nbody"),
    ],
)
def test_the_other_end_may_be_a_path_an_id_a_name_a_number_or_a_title(path: str, text: str) -> None:
    found = corpus({path: text, "adr/0003-old.md": "# The old way"})
    assert set(claims(headers(found))) == {(path, "supersedes", "adr/0003-old.md")}


@pytest.mark.parametrize(
    ("field", "relation"),
    [
        ("Superseded-By", "superseded_by"),
        ("Replaces", "replaces"),
        ("Requires", "requires"),
        ("Obsoletes", "obsoletes"),
        ("Updates", "updates"),
        ("Amended by", "updated_by"),
        ("Implements", "implements"),
        ("See also", "references"),
        ("Depends-on", "requires"),
    ],
)
def test_a_field_states_its_relation(field: str, relation: str) -> None:
    found = corpus({"a.txt": f"Title: x\n{field}: b.txt\n\nbody", "b.txt": ""})
    assert claims(headers(found)) == [("a.txt", relation, "b.txt")]


def test_every_relation_a_header_can_state_is_in_the_catalogue() -> None:
    assert set(RELATION_OF.values()) <= set(RELATIONS)


def test_a_status_tells_who_took_over() -> None:
    found = corpus({"a.md": "# A\n\n* Status: Superseded by [B](b.md), amends c.md\n"} | FILES)
    assert claims(headers(found)) == [
        ("a.md", "superseded_by", "b.md"),
        ("a.md", "updates", "c.md"),
    ]


FILES = {"b.md": "", "c.md": ""}


def test_a_number_is_one_of_the_documents_own_series() -> None:
    pep = "PEP: 484\nTitle: Hints\nRequires: 3107, 526\n\nText"
    found = corpus({"pep-0484.rst": pep, "pep-3107.rst": "", "pep-0526.rst": "", "rfc526.txt": ""})
    assert claims(headers(found)) == [
        ("pep-0484.rst", "requires", "pep-3107.rst"),
        ("pep-0484.rst", "requires", "pep-0526.rst"),
    ]


def test_a_name_that_several_bear_is_claimed_for_each_on_the_same_characters() -> None:
    text = "---\nsupersedes: ADR-3\n---\n"
    found = corpus({"x/adr/new.md": text, "x/adr/0003-a.md": "", "y/adr/0003-b.md": ""})
    near, far = (f for f in headers(found) if isinstance(f, Claim))
    assert (near.edge.target, far.edge.target) == ("r:x/adr/0003-a.md", "r:y/adr/0003-b.md")
    assert (near.evidence.start, near.evidence.end) == (far.evidence.start, far.evidence.end)
    assert near.evidence.rank < far.evidence.rank


def test_a_value_that_names_nothing_here_is_unresolved() -> None:
    found = corpus({"a.md": "---\nrequires: [ADR-9, none]\nauthor: me\n---\n"})
    assert unresolved(headers(found)) == [("a.md", 2, "requires ADR-9")]


def test_a_very_long_value_is_prose() -> None:
    found = corpus({"a.md": f"---\nrequires: b.md, {'x' * 2_000}\n---\n", "b.md": ""})
    assert list(headers(found)) == []


def test_nobody_supersedes_himself() -> None:
    found = corpus({"adr/1.md": "---\nsupersedes: ADR-1\n---\n"})
    assert list(headers(found)) == []
