"""The innermost span that contains a position is found in any nested spans."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.languages.source import OUTSIDE, SpanTree


def spans_of(brackets: str) -> list[tuple[int, int]]:
    """Of every pair of brackets, from the opening one to behind the closing one."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for position, character in enumerate(brackets):
        if character == "(":
            opened.append(position)
        elif character == ")" and opened:
            found.append((opened.pop(), position + 1))
    return sorted(found, key=lambda span: (span[0], -span[1]))


@given(st.text(alphabet="(). ", max_size=40))
def test_the_innermost_span_that_contains_a_position_is_found(text: str) -> None:
    spans = spans_of(text)
    tree = SpanTree(spans)
    for position in range(-1, len(text) + 1):
        containing = [at for at, (start, end) in enumerate(spans) if start <= position < end]
        assert tree.at(position) == (containing[-1] if containing else OUTSIDE)


@given(st.text(alphabet="(). ", max_size=40))
def test_a_parent_is_the_next_span_around(text: str) -> None:
    spans = spans_of(text)
    for at, parent in enumerate(SpanTree(spans).parents):
        start, end = spans[at]
        around = [i for i, (s, e) in enumerate(spans) if i != at and s <= start and end <= e]
        assert parent == (around[-1] if around else OUTSIDE)
