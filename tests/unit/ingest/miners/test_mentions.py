"""Identifiers in a text: numbered documents, paths, and names as code spells them."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from docgraph.ingest.miners.document_view import (
    MAX_MENTIONS,
    MAX_NAME_CHARACTERS,
    find_code_names,
    find_numbered_documents,
    limit_mentions,
)
from docgraph.model.identifiers import normalise_name

ANOTHER = itertools.count()


def names(found: Iterator[tuple[str, int, int]]) -> list[str]:
    return [name for name, _, _ in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ADR-012, PEP 484 and RFC 9110.", ["adr12", "pep484", "rfc9110"]),
        ("adr 12; Pep-8; RFC9110", ["adr12", "pep8", "rfc9110"]),
        ("**ADR-1**, (`PEP 2`), [RFC 3](x) and ADR-4's", ["adr1", "pep2", "rfc3", "adr4"]),
        ("ticket SHOP-77 of 2010, in A 4", ["shop77"]),
        ("shop-77, Chapter 3, gpt-4", []),
        ("docs/ADR-1, ADR-2/x, x-ADR-3, my.ADR-4", []),
        ("ADR-1.5, ADR-2-b, ADR-3x, ADR-4444444", []),
        ("PEP\n484, PEP  484", []),
    ],
)
def test_a_number_in_a_series_is_a_name(text: str, found: list[str]) -> None:
    assert names(find_numbered_documents(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call fetch_node, fetchNode or FetchNode", ["fetch_node", "fetchnode", "fetchnode"]),
        ("Engine.ask() of docgraph::Engine", ["engine.ask", "docgraph::engine"]),
        ("see src/engine.py.", ["src/engine.py"]),
        ("`ask`, `Engine.ask()` and `src/engine.py`", ["ask", "engine.ask", "src/engine.py"]),
        ("ask the engine", []),
        ("e.g. this, i.e. that, U.S.A.", []),
        ("Python 3.11, `3.11`, version 1.2.3 of 10/12/2020", []),
        ("https://example.com/a/b.md, <http://x.y/c_d>, ftp://a.b/c.d", []),
        ("mailto:me@example.com, me@example.com", []),
        ("`pip install x`, `--flag`, `$HOME`, `x`", []),
    ],
)
def test_a_name_is_recognised_by_its_spelling_a_plain_word_by_its_backticks(
    text: str, found: list[str]
) -> None:
    assert names(find_code_names(text)) == found


@pytest.mark.parametrize("find", [find_numbered_documents, find_code_names])
def test_a_span_covers_the_name_and_nothing_more(
    find: Callable[[str], Iterator[tuple[str, int, int]]],
) -> None:
    text = "x ADR-012 y `Engine.ask(this)` z docs/a_b.md- `PEP 8`."
    found = list(find(text))
    assert found
    for name, start, end in found:
        assert normalise_name(text[start:end]) == name


def test_numbers_are_looked_for_in_the_given_spans_alone() -> None:
    text = "ADR-1 ADR-2 ADR-3"
    assert names(find_numbered_documents(text, ((0, 5), (12, 17)))) == ["adr1", "adr3"]
    assert names(find_numbered_documents(text, ())) == []


@pytest.mark.parametrize("name", ["a_", "a.b", "a/b", "aB"])
def test_what_is_very_long_is_data_and_no_name(name: str) -> None:
    short, long = (
        name * (size // len(name))
        for size in (MAX_NAME_CHARACTERS, MAX_NAME_CHARACTERS + 2 * len(name))
    )
    for text in ("{}", "`{}`"):
        assert len(names(find_code_names(text.format(short)))) == 1
        assert names(find_code_names(text.format(long))) == []


def test_a_name_has_its_first_mentions_only() -> None:
    found = list(limit_mentions(find_code_names("a_b c_d " * (MAX_MENTIONS + 2))))
    assert names(iter(found)) == ["a_b", "c_d"] * MAX_MENTIONS
    assert found[0] == ("a_b", 0, 3)
