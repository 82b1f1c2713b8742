"""One document as miners read it, and the references that it makes."""

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.parsed_file import Link
from docgraph.ingest.source_text import Positions
from docgraph.model.reference import ReferenceTarget
from tests.unit.ingest.fakes import parsed


def view(path: str, text: str) -> DocumentView:
    found = parsed(path, text)
    return DocumentView("r", path, found, (), Positions(found).at)


def test_a_file_at_the_root_is_in_no_folder() -> None:
    assert view("a.md", "").folder == ""
    assert view("docs/x/a.md", "").folder == "docs/x"


def test_a_reference_has_the_links_position_and_a_text_of_bounded_length() -> None:
    link, target = Link("path", "b.md", 7, 3, 9), ReferenceTarget("path:b.md")
    made = view("a.md", "x").reference("links", "references", target, link, "b" * 500)
    assert (made.suffix, made.line, made.start, made.end) == ("", 7, 3, 9)
    assert (len(made.text), made.target) == (120, target)


def test_a_name_in_the_text_means_the_nearest_and_may_resolve_to_nothing() -> None:
    made = view("a.md", "one\nADR-1\n").reference_at("identifiers", "references", "doc:adr1", 4, 9)
    assert (made.line, made.text) == (2, "ADR-1")
    assert (made.target.report_unresolved, made.target.distance_weight) == (False, 1)
