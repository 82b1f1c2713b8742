"""A document defines its path, its number in a series, and the names of its symbols."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.build_document import build_nodes
from docgraph.ingest.definitions import defined_names
from docgraph.model.identifiers import normalise_name
from tests.unit.ingest.fakes import parsed


def defined(path: str, text: str = "") -> dict[str, list[str]]:
    found = parsed(path, text)
    by_node: dict[str, list[str]] = {}
    for name, suffix in defined_names(path, found, build_nodes("r", path, found)):
        by_node.setdefault(path + suffix, []).append(name)
    return by_node


def test_a_file_is_known_by_path_and_name() -> None:
    assert defined("docs/guide.md") == {"docs/guide.md": ["docs/guide.md", "guide.md"]}


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("peps/pep-0484.rst", "", "pep484"),
        ("rfc9110.txt", "", "rfc9110"),
        ("docs/adr/0012-use-sqlite.md", "", "adr12"),
        ("a.md", "# ADR-0012: Use SQLite", "adr12"),
        ("a.rst", "PEP: 8\nTitle: Style\n\nText", "pep8"),
        ("a.txt", "Request for Comments: 9110\nUpdates: 1\n\nx", "rfc9110"),
        ("a.md", "---\nid: storage_rules\n---\n", "storage_rules"),
        ("use-sqlite.md", "", "use-sqlite"),
    ],
)
def test_a_document_is_known_by_its_id_or_number(path: str, text: str, name: str) -> None:
    assert name in defined(path, text)[path]


def test_a_plain_word_is_not_a_documents_name() -> None:
    assert "guide" not in defined("guide.md", "# Guide to 3 things")["guide.md"]


def test_a_symbol_is_known_by_its_bare_qualified_and_full_name() -> None:
    text = "class Store:\n    def open_session(self): ...\n    def __init__(self): ...\n"
    found = defined("src/docgraph/store.py", text)
    path = "src/docgraph/store.py"
    assert {"docgraph.store", "store"} <= set(found[path])
    assert found[f"{path}::Store.open_session"] == [
        "docgraph.store.store.open_session",
        "open_session",
        "store.open_session",
    ]
    assert "__init__" not in found[f"{path}::Store.__init__"]


def test_names_are_sorted_and_each_is_listed_once() -> None:
    found = parsed("a/pep-1.md", "# PEP 1")
    made = defined_names("a/pep-1.md", found, build_nodes("r", "a/pep-1.md", found))
    assert [name for name, _ in made] == ["a/pep1.md", "pep1", "pep1.md"]


@given(st.one_of(st.text(), st.text(st.sampled_from("Aa0-_ .\t9ß①"))))
def test_shortcuts_change_no_name(name: str) -> None:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    together = re.sub(r"(?<=[^\W\d_])[-_ ]+(?=\d)", "", re.sub(r"\s+", " ", folded).strip())
    assert normalise_name(name) == re.sub(r"(?<![\d.])0+(?=\d)", "", together)
