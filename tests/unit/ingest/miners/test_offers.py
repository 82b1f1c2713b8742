"""Every key by which a document and its parts can be meant."""

from dataclasses import replace

from docgraph.ingest.parsed_file import Handle, ParsedFile
from docgraph.model.reference import Definition
from tests.unit.ingest.fakes import built, parsed


def offered(path: str, text: str | ParsedFile = "") -> dict[str, list[tuple[str, int]]]:
    """Key → (node without the repository, rank)."""
    found: dict[str, list[tuple[str, int]]] = {}
    for offer in built(path, text).definitions:
        found.setdefault(offer.key, []).append((offer.node[2:], offer.rank))
    return found


def test_a_file_goes_by_its_path_also_without_its_suffix() -> None:
    found = offered("docs/guide.md")
    assert found["path:docs/guide.md"] == [("docs/guide.md", 0)]
    ((_, rank),) = found["path:docs/guide"]
    assert rank > 0


def test_a_front_page_goes_by_its_folder() -> None:
    assert [node for node, _ in offered("docs/README.md")["path:docs"]] == ["docs/README.md"]
    assert [node for node, _ in offered("index.rst")["path:"]] == ["index.rst"]


def test_a_document_goes_by_its_names_and_code_by_those_of_its_symbols() -> None:
    document = offered("docs/adr/0012-use.md")
    assert {"doc:adr12", "doc:docs/adr/12-use.md", "doc:12-use"} <= set(document)
    code = offered("src/pkg/a.py", "class Store:\n    def reads_as(self): ...\n")
    assert code["code:reads_as"] == [("src/pkg/a.py::Store.reads_as", 0)]
    assert code["code:store"] == [("src/pkg/a.py::Store", 0)]
    assert code["code:pkg.a"] == [("src/pkg/a.py", 0)]
    assert not any(key.startswith("doc:") for key in code)
    assert not any(key.startswith("code:") for key in document)


def test_a_document_goes_by_its_title_also_without_what_stands_in_brackets() -> None:
    found = offered("a.md", "# Mercury (planet)\n")
    assert found["title:Mercury (planet)"] == [("a.md", 0)]
    assert found["title:Mercury"] == [("a.md", 1)]


def test_no_title_is_offered_that_is_a_file_name_code_or_very_short() -> None:
    for path, text in (("notes.md", "no heading"), ("a.py", '"""Title."""\n'), ("b.md", "# It\n")):
        assert not any(key.startswith("title:") for key in offered(path, text))


def test_what_a_reader_of_code_found_is_offered_by_the_part_it_names() -> None:
    handles = (Handle("py:a", None), Handle("table:orders", 0, 3))
    made = replace(parsed("a.py", "def f(): ...\n"), handles=handles)
    assert Definition("py:a", "r:a.py", 0) in built("a.py", made).definitions
    assert Definition("table:orders", "r:a.py::f", 3) in built("a.py", made).definitions


def test_several_may_go_by_the_same_name_and_title() -> None:
    both = [
        *built("a/pep-1.md", "# Rules\n").definitions,
        *built("b/pep-1.md", "# Rules\n").definitions,
    ]
    for key in ("doc:pep1", "title:Rules"):
        assert [offer.node for offer in both if offer.key == key] == [
            "r:a/pep-1.md",
            "r:b/pep-1.md",
        ]
