"""Headers say how a document stands to others."""

import pytest

from docgraph.ingest.miners.headers import RELATION_OF
from docgraph.model.edge import INVERSES, RELATIONS
from tests.unit.ingest.fakes import built, candidates, edges, ranked, unresolved


def stated(path: str, files: dict[str, str]) -> list[tuple[str, str]]:
    """(relation, target) of what a file's header states; that the others answer is not in it."""
    found = edges(files, "headers")
    return [(relation, target) for source, relation, target in found if source == path]


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
    files = {path: text, "adr/0003-old.md": "# The old way"}
    assert stated(path, files) == [("supersedes", "adr/0003-old.md")]


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
    files = {"a.txt": f"Title: x\n{field}: b.txt\n\nbody", "b.txt": ""}
    assert stated("a.txt", files) == [(relation, "b.txt")]


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", sorted(INVERSES))
def test_a_lifecycle_relation_has_an_edge_from_old_to_new(relation: str) -> None:
    files = {"a.md": f"---\n{relation}: b.md\n---\n", "b.md": ""}
    there, back = sorted(candidates(files, "headers"))
    assert (there.edge.relation, back.edge.relation) == (relation, INVERSES[relation])
    assert (back.edge.source, back.edge.target) == (there.edge.target, there.edge.source)
    assert [(e.path, e.line, e.start, e.end) for e in back.evidence] == [("a.md", 2, 0, 0)]


def test_other_relations_have_one_direction() -> None:
    files = {"a.md": "---\nrequires: b.md\n---\n", "b.md": ""}
    assert edges(files, "headers") == [("a.md", "requires", "b.md")]


def test_every_relation_a_header_can_state_is_in_the_catalogue() -> None:
    assert set(RELATION_OF.values()) <= set(RELATIONS)


def test_a_status_tells_who_took_over() -> None:
    text = "# A\n\n* Status: Superseded by [B](b.md), amends c.md\n"
    assert stated("a.md", {"a.md": text, "b.md": "", "c.md": ""}) == [
        ("superseded_by", "b.md"),
        ("updates", "c.md"),
    ]


def test_a_number_is_one_of_the_documents_own_series() -> None:
    pep = "PEP: 484\nTitle: Hints\nRequires: 3107, 526\n\nText"
    files = {"pep-0484.rst": pep, "pep-3107.rst": "", "pep-0526.rst": "", "rfc526.txt": ""}
    assert edges(files, "headers") == [
        ("pep-0484.rst", "requires", "pep-0526.rst"),
        ("pep-0484.rst", "requires", "pep-3107.rst"),
    ]


def test_a_name_that_several_have_refers_to_each_by_the_same_characters() -> None:
    text = "---\nrequires: ADR-3\n---\n"
    files = {"x/adr/new.md": text, "x/adr/0003-a.md": "", "y/adr/0003-b.md": ""}
    near, far = candidates(files, "headers")
    assert (near.edge.target, far.edge.target) == ("r:x/adr/0003-a.md", "r:y/adr/0003-b.md")
    evidence = (near.evidence[0], far.evidence[0])
    assert len({(one.start, one.end) for one in evidence}) == 1
    assert evidence[0].rank < evidence[1].rank
    assert edges(files, "headers") == [("x/adr/new.md", "requires", "x/adr/0003-a.md")]


def test_a_better_way_of_reading_a_value_outranks_every_distance() -> None:
    """A path comes first, then an id, a name, a title, and names inside the value."""
    value = "far/far/away/store_rules.md"
    text = f"---\nrequires: {value}\n---\n"
    files = {
        "n/a.md": text,
        value: "",
        f"n/{value}": "",
        "n/b.md": f"# {value}\n",
        "n/c.md": f"---\nid: {value}\n---\n",
    }
    assert ranked(files, "headers") == [f"n/{value}", value, "n/c.md", "n/b.md"]


def test_an_anchor_leads_to_the_section_if_there_is_one() -> None:
    text = "---\nrequires: [b.md#Part, r:c.md#part, r:c.md#gone]\n---\n"
    files = {"a.md": text, "b.md": "# B\n\n## Part\n", "c.md": "# C\n\n## Part\n"}
    assert edges(files, "headers") == [
        ("a.md", "requires", "b.md#part"),
        ("a.md", "requires", "c.md#part"),
    ]


def test_a_value_that_names_nothing_here_is_unresolved() -> None:
    files = {"a.md": "---\nrequires: [ADR-9, none]\nauthor: me\n---\n"}
    assert unresolved(files, "headers") == [("a.md", 2, "requires ADR-9")]


def test_a_very_long_value_is_prose() -> None:
    long = built("a.md", f"---\nrequires: b.md, {'x' * 2_000}\n---\n")
    assert [one for one in long.references if one.miner == "headers"] == []


def test_nobody_supersedes_himself() -> None:
    files = {"adr/1.md": "---\nsupersedes: ADR-1\n---\n"}
    assert edges(files, "headers") == []
    assert unresolved(files, "headers") == []
