"""Offsets and lines agree, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Lines, Positions


@given(st.text(alphabet="ab\n\u2028\x0c😀"))
def test_a_line_is_one_more_than_the_newlines_before_it(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        assert lines.at(offset) == text.count("\n", 0, offset) + 1


def test_a_line_starts_behind_a_newline() -> None:
    lines = Lines("ä\nbc\n")
    assert [lines.start(line) for line in (1, 2, 3, 4)] == [0, 2, 5, 5]


def parsed(
    text: str, *, lines: tuple[tuple[int, int], ...] = (), pages: tuple[int, ...] = ()
) -> ParsedFile:
    return ParsedFile("document", "T", True, text, source_lines=lines, pages=pages)


def test_lines_are_those_of_the_text_where_it_is_the_files_own() -> None:
    positions = Positions(parsed("a\nb\n"))
    assert [positions.at(offset) for offset in range(4)] == [1, 1, 2, 2]
    assert positions.page(0) is None


def test_lines_are_those_of_the_file_where_the_text_was_made_of_it() -> None:
    positions = Positions(parsed("  ab\ncd ef", lines=((2, 7), (5, 9), (8, 10))))
    assert [positions.at(offset) for offset in (0, 2, 4, 5, 7, 8, 99)] == [7, 7, 7, 9, 9, 10, 10]


def test_pages_count_from_one_and_empty_ones_have_no_characters() -> None:
    positions = Positions(parsed("abcdef", pages=(0, 2, 2, 4, 6)))
    assert [positions.page(offset) for offset in range(6)] == [1, 1, 3, 3, 4, 4]


def test_a_location_ends_on_the_line_of_its_last_character() -> None:
    where = Positions(parsed("a\nb\nc", pages=(0, 2))).location("x", 2, 4)
    assert (where.first_line, where.last_line, where.page) == (2, 2, 2)
    empty = Positions(parsed("")).location("x", 0, 0)
    assert (empty.first_line, empty.last_line, empty.page) == (1, 1, None)
