"""Offsets and lines agree, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.lines import Lines


@given(st.text(alphabet="ab\n\u2028\x0c😀"))
def test_a_line_is_one_more_than_the_newlines_before_it(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        assert lines.at(offset) == text.count("\n", 0, offset) + 1


def test_a_line_starts_behind_a_newline() -> None:
    lines = Lines("ä\nbc\n")
    assert [lines.start(line) for line in (1, 2, 3, 4)] == [0, 2, 5, 5]
