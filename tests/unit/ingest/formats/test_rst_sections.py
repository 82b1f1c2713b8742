"""reStructuredText headings are recognised by their lines of punctuation."""

import pytest

from docgraph.ingest.formats.rst import find_headings


def outline(text: str) -> list[tuple[int, str, int]]:
    return [(h.level, h.title, h.start) for h in find_headings(text.split("\n"))]


def test_levels_come_in_the_order_of_first_appearance() -> None:
    text = "====\nTop\n====\n\nOne\n----\n\nInner\n~~~~~\n\nTwo\n---\n"
    assert outline(text) == [(1, "Top", 0), (2, "One", 15), (3, "Inner", 25), (2, "Two", 38)]


def test_an_overline_makes_another_style() -> None:
    assert outline("===\nA\n===\n\nB\n===\n") == [(1, "A", 0), (2, "B", 11)]


@pytest.mark.parametrize(
    "text",
    [
        "text\n\n----\n\ntext",  # a transition
        "two lines\nof text\n-------\n",  # a paragraph
        "    Code\n    ----\n",  # indented
        "==== ====\na    b\n==== ====\n",  # a table
        "Literal\n::\n\n  x",
        "Long title\n--\n",
        "",
    ],
)
def test_what_looks_alike_is_no_heading(text: str) -> None:
    assert outline(text) == []


def test_a_heading_may_follow_a_heading_at_once() -> None:
    assert [title for _, title, _ in outline("A\n=\nB\n-\n")] == ["A", "B"]


def test_an_underline_of_four_is_long_enough() -> None:
    assert outline("A longer title\n----\n") == [(1, "A longer title", 0)]
