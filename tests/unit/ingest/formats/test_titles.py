"""A title is one line, and a document without one goes by its file's name."""

from docgraph.ingest.formats.sections import (
    MAX_TITLE_CHARACTERS,
    choose_title,
    clean_title,
    field_title,
)
from docgraph.ingest.parsed_file import HeaderField


def test_the_first_candidate_that_is_not_blank_is_the_title() -> None:
    assert choose_title("a/b.md", "", "  ", "Stated\n so", "Later") == ("Stated so", True)


def test_a_documents_last_resort_is_its_file_name() -> None:
    assert choose_title("a/b.md", "", " ") == ("b.md", False)


def test_a_title_has_an_end() -> None:
    assert len(clean_title("word " * 100)) <= MAX_TITLE_CHARACTERS
    assert clean_title("word " * 100).endswith("…")


def test_a_title_field_is_a_title() -> None:
    fields = (HeaderField("pep", "8", 1, 0, 1), HeaderField("title", " Style ", 2, 0, 1))
    assert field_title(fields) == "Style"
    assert field_title(()) == ""
