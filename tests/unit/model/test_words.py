"""How texts and questions are cut into terms."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.words import words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("... -- !", []),
        ("Plain words, twice: plain", ["plain", "words", "twice", "plain"]),
        ("fetch_nodeTexts", ["fetch_nodetexts", "fetch", "node", "texts"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("__init__", ["init"]),
        ("MAX_SIZE2", ["max_size2", "max", "size", "2"]),
        ("py311 V2", ["py311", "v2"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("größenÄnderung", ["grössenänderung", "grössen", "änderung"]),
        ("найтиУзел", ["найтиузел", "найти", "узел"]),
        ("ﬁle ①", ["file", "1"]),
    ],
)
def test_a_compound_counts_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert words(text) == terms


@given(st.text())
def test_terms_are_folded_and_hold_no_white_space(text: str) -> None:
    for term in words(text):
        assert term
        assert term == term.casefold()
        assert not any(character.isspace() for character in term)


@given(st.text())
def test_how_an_accent_is_composed_does_not_decide_what_matches(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert words(decomposed) == words(unicodedata.normalize("NFC", text))


@given(st.text(), st.text())
def test_words_of_two_lines_are_the_words_of_each(first: str, second: str) -> None:
    assert words(f"{first}\n{second}") == words(first) + words(second)


@given(st.from_regex(r"[a-zA-Zéß0-9]+(_[a-zA-Zéß0-9]+)*", fullmatch=True))
def test_the_parts_of_a_compound_make_up_the_whole(name: str) -> None:
    whole, *parts = words(name)
    assert not parts or "".join(parts) == whole.replace("_", "")
