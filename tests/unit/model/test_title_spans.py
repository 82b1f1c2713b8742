"""Titles that a question names."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.identifiers import (
    MAX_SPANS,
    MAX_TITLE_HOLDERS,
    MAX_TITLE_WORDS,
    title_spans,
    titled_documents,
)


def found(question: str, *bearers: tuple[str, str]) -> dict[str, str]:
    places = title_spans(question)
    return titled_documents(places, sorted(pair for pair in bearers if pair[0] in places))


def test_whole_words_that_begin_with_a_capital_or_a_digit_may_be_a_title() -> None:
    assert "Finding Nemo" in title_spans("Who directed Finding Nemo, in 2003?")
    assert "1984" in title_spans("who wrote 1984?")
    assert "inding Nemo" not in title_spans("Who directed Finding Nemo?")
    assert "directed Finding" not in title_spans("Who directed Finding Nemo?")
    assert "Who" not in title_spans("Who is it?")  # shorter than any title that counts


def test_the_longest_title_wins() -> None:
    one, two = ("Star Wars", "r:one"), ("Star Wars Holiday Special", "r:two")
    assert found("Is Star Wars Holiday Special good?", one, two) == {"r:two": two[0]}
    both = "Is Star Wars better than Star Wars Holiday Special?"
    assert found(both, one, two) == {"r:one": one[0], "r:two": two[0]}


def test_case_and_punctuation_count() -> None:
    assert found("is star wars good?", ("Star Wars", "r:one")) == {}
    assert found("Is Star-Wars good?", ("Star Wars", "r:one")) == {}


def test_a_title_that_many_bear_names_none_of_them() -> None:
    some = [("Index", f"r:{number}") for number in range(MAX_TITLE_HOLDERS)]
    assert len(found("See Index", *some)) == MAX_TITLE_HOLDERS
    assert found("See Index", *some, ("Index", "r:more")) == {}


@given(st.text())
def test_any_question_has_a_bounded_number_of_spans(question: str) -> None:
    places = title_spans(question * 3)
    assert len(places) <= MAX_SPANS
    for title, where in places.items():
        assert len(title.split()) <= MAX_TITLE_WORDS * 2
        assert all((question * 3)[start:end] == title for start, end in where)
