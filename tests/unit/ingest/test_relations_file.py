"""relations.yaml: what people wrote down becomes edges, and a bad entry costs no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.relations_file import (
    CURATED,
    MAX_FILE_BYTES,
    RelationsFile,
    node_id,
    parse_relations_file,
)
from docgraph.model.edge import RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.ports.source import SourceProblem
from tests.support.growth import LINEAR, growth

GOOD = "- {from: a.md, relation: explains, to: b.md}\n"


def read(text: str) -> RelationsFile:
    return parse_relations_file(text.encode(), "r")


def edges(found: RelationsFile) -> list[tuple[str, str, str]]:
    return [(r.edge.source, r.edge.relation, r.edge.target) for r in found.relationships]


def refused(text: str) -> tuple[str, str]:
    """The one problem of a text whose last line is a good entry, which is used all the same."""
    found = read(text + GOOD)
    assert edges(found) == [("r:a.md", "explains", "r:b.md")]
    (problem,) = found.problems
    return problem.path, problem.reason


@pytest.mark.requirement(3)
def test_an_entry_is_an_edge_with_its_line_and_its_note_as_evidence() -> None:
    found = read(
        "# why things are so\n"
        "- from: docs/a.md\n"
        "  relation: explains\n"
        "  to: src/x.py::Class.f\n"
        "  note: >-\n    says how\n    it works\n"
    )
    edge = Edge("r:docs/a.md", "explains", "r:src/x.py::Class.f")
    evidence = EdgeEvidence("relations.yaml", 4, 0, 0, 0, "says how it works")
    assert found == RelationsFile((Relationship(edge, (CURATED,), (evidence,)),), ())


def test_without_a_note_the_entry_itself_is_the_text() -> None:
    (found,) = read("- {from: a.md, relation: requires, to: b.md#part}").relationships
    assert found.evidence[0].text == "requires b.md#part"


def test_one_entry_may_lead_to_several_each_on_its_own_line() -> None:
    found = read("- from: a.md\n  relation: requires\n  to:\n    - b.md\n    - c.md\n")
    assert edges(found) == [("r:a.md", "requires", "r:b.md"), ("r:a.md", "requires", "r:c.md")]
    assert [r.evidence[0].line for r in found.relationships] == [4, 5]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("docs/a.md", "r:docs/a.md"),
        ("./docs/../docs/a.md", "r:docs/a.md"),
        ("docs/a.md#some-part", "r:docs/a.md#some-part"),
        ("src/x.py::C.f", "r:src/x.py::C.f"),
        ("docs/100%.md", "r:docs/100%25.md"),
        ("other:docs/a.md#part", "other:docs/a.md#part"),
        ("other:src/x.py::f", "other:src/x.py::f"),
        ("r:docs/a%3Ab.md", "r:docs/a%3Ab.md"),
    ],
)
def test_an_end_is_a_path_of_this_repository_or_a_full_id(written: str, expected: str) -> None:
    assert node_id(written, "r") == expected


def test_a_repository_with_odd_characters_gets_the_ids_of_its_documents() -> None:
    assert node_id("a.md", "team:app") == "team%3Aapp:a.md"


@pytest.mark.parametrize(
    "end",
    ["../a.md", "/etc/passwd", ".", "..", "#part", "::f", ":a.md", "r:", "r:#part", "a/../.."],
)
def test_an_end_that_names_no_file_is_refused_with_its_line(end: str) -> None:
    path, reason = refused(f'- from: "{end}"\n  relation: explains\n  to: b.md\n')
    assert path == "relations.yaml:1"
    assert reason.startswith(f"`from`: {end!r} ")


@pytest.mark.parametrize(
    ("entry", "line", "reason"),
    [
        ("- just text\n", 1, "not an entry; one looks like - {from: "),
        ("- [a, b]\n", 1, "not an entry"),
        ("- from: a.md\n  to: b.md\n", 1, "`relation` missing; an entry looks like - {from: "),
        ("- note: x\n", 1, "`from` and `relation` and `to` missing"),
        ("- from: a.md\n  form: b.md\n", 2, "no key is called 'form'; did you mean 'from'?"),
        (
            "- from: a.md\n  relation: explain\n  to: b.md\n",
            2,
            "no relation is called 'explain'; did you mean 'explains'?",
        ),
        ("- {from: a.md, relation: 7, to: b.md}\n", 1, "`relation` takes text"),
        ("- {from: 2024-01-01, relation: explains, to: b.md}\n", 1, "`from` takes text"),
        ("- {from: a.md, relation: explains, to: {b: c}}\n", 1, "`to` takes text"),
        ("- {from: a.md, relation: explains, to: ''}\n", 1, "`to` takes text"),
        ("- {from: a.md, relation: explains, to: []}\n", 1, "`to` names nothing"),
        ("- {from: a.md, relation: explains, to: c.md, note: yes}\n", 1, "`note` takes text"),
        ("- from: a.md\n  relation: explains\n  to: a.md\n", 3, "leads to itself"),
    ],
)
def test_a_bad_entry_is_reported_and_the_others_are_used(
    entry: str, line: int, reason: str
) -> None:
    path, message = refused(entry)
    assert path == f"relations.yaml:{line}"
    assert message.startswith(reason)


def test_a_bad_target_costs_no_other_target() -> None:
    found = read("- from: a.md\n  relation: explains\n  to: [b.md, ../c.md, d.md]\n")
    assert [r.edge.target for r in found.relationships] == ["r:b.md", "r:d.md"]
    assert len(found.problems) == 1


def test_a_repeated_entry_is_reported_with_its_second_line() -> None:
    found = read(GOOD + GOOD)
    assert edges(found) == [("r:a.md", "explains", "r:b.md")]
    assert found.problems == (SourceProblem("relations.yaml:2", "stands already in line 1"),)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]"])
def test_a_file_without_entries_is_no_problem(text: str) -> None:
    assert read(text) == RelationsFile((), ())


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("relations: []", 1, "not a list; an entry looks like - {from: "),
        ("- {from: a.md\n", 2, "not YAML: "),
        ("- &x {from: a.md}\n- *x\n", 1, "anchors, aliases and tags are not used here"),
        ("- !!python/object/apply:os.system [ls]", 1, "anchors, aliases and tags"),
        ("- from: a\n  from: b\n", 2, "'from' stands twice"),
        ("- " * 20 + "a", 1, "nested too deeply"),
        ('- "\\ud800"', 1, "half a character"),
        ("#" * (MAX_FILE_BYTES + 1), 1, "takes at most 1,000,000 bytes, this has 1,000,001"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem(text: str, line: int, reason: str) -> None:
    found = read(text)
    assert found.relationships == ()
    (problem,) = found.problems
    assert problem.path == f"relations.yaml:{line}"
    assert problem.reason.startswith(reason)


@pytest.mark.parametrize("relation", sorted(RELATIONS))
def test_every_relation_of_the_catalogue_can_be_stated(relation: str) -> None:
    assert edges(read(f"- {{from: a, relation: {relation}, to: b}}")) == [("r:a", relation, "r:b")]


def test_a_file_of_brackets_is_refused_and_takes_no_more_time_than_its_length() -> None:
    def look(brackets: int) -> None:
        assert len(read("[" * brackets).problems) == 1

    assert growth(look, 1_000) < LINEAR
    look(MAX_FILE_BYTES)


@given(
    st.binary(max_size=80)
    | st.text("- fromtelains:{}[],'\"#&*!|>\\ud8\n", max_size=80).map(str.encode)
)
def test_any_file_is_read_or_reported(data: bytes) -> None:
    found = parse_relations_file(data, "r")
    assert all(problem.path.startswith("relations.yaml:") for problem in found.problems)
