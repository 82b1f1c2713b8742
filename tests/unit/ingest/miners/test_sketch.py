"""A sketch: one document as miners see it, and how it claims."""

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.parsed_file import Link
from docgraph.ingest.source_text import Positions
from tests.unit.ingest.fakes import parsed


def sketch(path: str, text: str) -> DocumentView:
    found = parsed(path, text)
    return DocumentView("r", path, found, (f"r:{path}",), (), Positions(found).at)


def test_a_file_at_the_root_lies_in_no_folder() -> None:
    assert sketch("a.md", "").folder == ""
    assert sketch("docs/x/a.md", "").folder == "docs/x"


def test_a_reference_is_claimed_at_its_place_and_must_be_answered() -> None:
    place = Link("path", "b.md", 7, 3, 9)
    claim = sketch("a.md", "x").claim("links", "references", "path:b.md", place, says="b" * 500)
    assert (claim.source, claim.line, claim.start, claim.end) == ("r:a.md", 7, 3, 9)
    assert (len(claim.says), claim.reported, claim.near) == (120, True, 0)


def test_a_name_in_the_text_means_the_nearest_and_need_not_be_answered() -> None:
    claim = sketch("a.md", "one\nADR-1\n").reference_at(
        "identifiers", "references", "doc:adr1", 4, 9
    )
    assert (claim.line, claim.says) == (2, "ADR-1")
    assert (claim.reported, claim.near) == (False, 1)
