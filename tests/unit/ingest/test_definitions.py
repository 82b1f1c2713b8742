"""Every key by which a document and its parts can be referred to."""

from dataclasses import replace

from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.reference import Definition
from tests.unit.ingest.fakes import built, parsed


def defined(path: str, text: str | ParsedFile = "") -> dict[str, list[tuple[str, int]]]:
    """Key → (suffix of the node, rank)."""
    found: dict[str, list[tuple[str, int]]] = {}
    for definition in built(path, text).definitions:
        found.setdefault(definition.key, []).append((definition.suffix, definition.rank))
    return found


def test_a_file_has_its_path_as_a_key_also_without_its_suffix() -> None:
    found = defined("docs/guide.md")
    assert found["path:docs/guide.md"] == [("", 0)]
    ((_, rank),) = found["path:docs/guide"]
    assert rank > 0


def test_a_front_page_has_its_folder_as_a_key() -> None:
    assert [node for node, _ in defined("docs/README.md")["path:docs"]] == [""]
    assert [node for node, _ in defined("index.rst")["path:"]] == [""]


def test_a_document_has_its_names_as_keys_and_code_those_of_its_symbols() -> None:
    document = defined("docs/adr/0012-use.md")
    assert {"doc:adr12", "doc:docs/adr/12-use.md", "doc:12-use"} <= set(document)
    code = defined("src/pkg/a.py", "class Store:\n    def open_session(self): ...\n")
    assert code["code:open_session"] == [("::Store.open_session", 0)]
    assert code["code:store"] == [("::Store", 0)]
    assert code["code:pkg.a"] == [("", 0)]
    assert not any(key.startswith("doc:") for key in code)
    assert not any(key.startswith("code:") for key in document)


def test_a_document_has_its_title_as_a_key_also_without_its_brackets() -> None:
    found = defined("a.md", "# Mercury (planet)\n")
    assert found["title:Mercury (planet)"] == [("", 0)]
    assert found["title:Mercury"] == [("", 1)]


def test_no_title_is_a_key_that_is_a_file_name_code_or_very_short() -> None:
    for path, text in (("notes.md", "no heading"), ("a.py", '"""Title."""\n'), ("b.md", "# It\n")):
        assert not any(key.startswith("title:") for key in defined(path, text))


def test_the_definitions_of_a_language_are_the_documents_too() -> None:
    own = (Definition("py:a"), Definition("table:orders", "::f", 3))
    made = replace(parsed("a.py", "def f(): ...\n"), definitions=own)
    assert set(own) <= set(built("a.py", made).definitions)


def test_several_may_have_the_same_name_and_title() -> None:
    for path in ("a/pep-1.md", "b/pep-1.md"):
        found = defined(path, "# Rules\n")
        assert found["doc:pep1"] == found["title:Rules"] == [("", 0)]
