"""How texts and questions are split into terms."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.tokenize import run_terms, tokenize, word_runs

code = st.from_regex(r"([A-Z]{0,3}[a-z0-9]{0,3}[_\s(.]{0,2}){0,12}", fullmatch=True)


def words_one_by_one(text: str) -> list[str]:
    """The definition, without any shortcut."""
    found: list[str] = []
    for word in re.findall(r"[^\W_]+(?:_+[^\W_]+)*", unicodedata.normalize("NFKC", text)):
        found.append(word.casefold())
        if "_" in word or not (word.islower() or word.isupper() or word.istitle()):
            shape = "".join(
                "_" if c == "_" else "A" if c.isupper() else "0" if c.isdigit() else "a"
                for c in word
            )
            spans = [part.span() for part in re.finditer("A+(?!a)|A?a+|0+", shape)]
            found += [word[slice(*span)].casefold() for span in spans if len(spans) > 1]
    return found


@given(st.one_of(st.text(), st.text(st.characters(codec="ascii")), code))
def test_shortcuts_change_no_word(text: str) -> None:
    assert tokenize(text) == words_one_by_one(text)


@given(st.one_of(st.text(), code))
def test_the_words_of_a_text_are_the_terms_of_its_runs(text: str) -> None:
    assert tokenize(text) == [term for run in word_runs(text) for term in run_terms(run)]


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
    assert tokenize(text) == terms


@given(st.text())
def test_terms_are_folded_and_hold_no_white_space(text: str) -> None:
    for term in tokenize(text):
        assert term
        assert term == term.casefold()
        assert not any(character.isspace() for character in term)


@given(st.text())
def test_how_an_accent_is_composed_does_not_decide_what_matches(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert tokenize(decomposed) == tokenize(unicodedata.normalize("NFC", text))


@given(st.text(), st.text())
def test_words_of_two_lines_are_the_words_of_each(first: str, second: str) -> None:
    assert tokenize(f"{first}\n{second}") == tokenize(first) + tokenize(second)


@given(st.from_regex(r"[a-zA-Zéß0-9]+(_[a-zA-Zéß0-9]+)*", fullmatch=True))
def test_the_parts_of_a_compound_make_up_the_whole(name: str) -> None:
    whole, *parts = tokenize(name)
    assert not parts or "".join(parts) == whole.replace("_", "")
