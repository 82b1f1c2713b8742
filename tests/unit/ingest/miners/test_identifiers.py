"""A text that names a numbered document or a document's path references it."""

from dataclasses import replace

import pytest

from docgraph.model.node import CODE
from tests.support.expected_edges import expected_edges
from tests.unit.ingest.fakes import built, candidates, edges, evidence_of, parsed, short, unresolved

ADR = {"docs/adr/0012-use-sqlite.md": "# Use SQLite\n"}
PEP = {"peps/pep-0484.rst": ""}
IDS = ("e.g", "3.11", "guide")
RFC = {"rfc9110.txt": "HTTP\n\nsemantics"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "As ADR-012 has it."),
        ("a.md", "As `ADR-12` has it."),
        ("a.rst", "As adr 12 has it."),
        ("a.txt", "A\n\nAs ADR 0012 has it."),
        ("a.py", '"""As ADR-012 has it."""\n'),
        ("a.py", "x = 1  # see ADR-012\n"),
    ],
)
def test_a_number_in_prose_references_the_document_with_that_number(path: str, text: str) -> None:
    assert edges({path: text} | ADR, "identifiers") == [
        (path, "references", "docs/adr/0012-use-sqlite.md")
    ]


def test_every_family_of_numbers_is_known() -> None:
    files = {"a.md": "ADR-012, PEP 484 and RFC 9110"} | ADR | PEP | RFC
    assert edges(files, "identifiers") == [
        ("a.md", "references", "docs/adr/0012-use-sqlite.md"),
        ("a.md", "references", "peps/pep-0484.rst"),
        ("a.md", "references", "rfc9110.txt"),
    ]


def test_in_code_a_number_counts_in_docstrings_and_comments_alone() -> None:
    text = "ADR-1 ADR-2"
    code = replace(parsed("a.txt", text), kind=CODE, prose=((6, 11),))
    found = expected_edges([built("a.py", code), built("adr/1.md", ""), built("adr/2.md", "")])
    assert short(found) == [("a.py", "references", "adr/2.md")]


def test_the_span_is_the_number_itself() -> None:
    (one,) = evidence_of({"a.md": "one\n\nas ADR-012 has it"} | ADR, "identifiers")
    assert (one.line, one.start, one.end, one.text) == (3, 8, 15, "ADR-012")


def test_of_several_that_have_a_number_the_nearest_is_the_target() -> None:
    files = {"x/a.md": "ADR-1", "x/adr/0001-x.md": "", "y/adr/0001-y.md": ""}
    assert len(candidates(files, "identifiers")) == 2
    assert edges(files, "identifiers") == [("x/a.md", "references", "x/adr/0001-x.md")]


def test_where_none_is_nearest_there_is_no_target() -> None:
    files = {"a.md": "ADR-1", "x/adr/0001-x.md": "", "y/adr/0001-y.md": ""}
    assert len(candidates(files, "identifiers")) == 2
    assert edges(files, "identifiers") == []


def test_a_documents_path_or_file_name_references_it() -> None:
    files = {"a.md": "see docs/guide.md, or `guide.md`", "docs/guide.md": ""}
    assert edges(files, "identifiers") == [("a.md", "references", "docs/guide.md")]
    assert len(evidence_of(files, "identifiers")) == 2


def test_a_document_that_names_its_own_number_references_nothing() -> None:
    assert edges({"adr/0012-x.md": "# ADR-12\n\nADR-12 says"}, "identifiers") == []


def test_code_is_no_document_with_a_path_as_its_name() -> None:
    assert edges({"a.md": "see src/engine.py", "src/engine.py": ""}, "identifiers") == []


@pytest.mark.parametrize("text", ["https://x.y/docs/guide.md", "e.g. this", "Python 3.11", "guide"])
def test_addresses_abbreviations_version_numbers_and_plain_words_name_nothing(text: str) -> None:
    ids = {f"{number}.md": f"---\nid: {name!r}\n---\n" for number, name in enumerate(IDS)}
    assert edges({"a.md": text, "docs/guide.md": ""} | ids, "identifiers") == []


def test_a_number_that_no_document_has_is_not_reported() -> None:
    assert unresolved({"a.md": "RFC 1, docs/gone.md and UTF-8"}, "identifiers") == []
