"""The intake reads every file that may have changed and builds what has."""

import pytest

from docgraph.ingest.access_rules import AccessRules
from docgraph.ingest.changed_files import ChangedFiles
from docgraph.ingest.discover import list_source
from docgraph.ingest.result import Renamed
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import StoredDocument, text_key
from tests.unit.ingest.fakes import MemorySource, parses

BOOK = AccessRules("local", options=lambda _: LOCAL_ONLY)
Files = dict[str, str | bytes | SourceProblem]
Held = dict[str, StoredDocument]


def intake(
    files: Files, held: Held | None = None, source: MemorySource | None = None
) -> ChangedFiles:
    source = source or MemorySource(files)
    return ChangedFiles(source, list_source(source), held or {}, "r", BOOK, 800)


def held(files: Files, source: MemorySource | None = None) -> Held:
    """What a store holds after these files went in."""
    built = [one.document for one in intake(files, source=source).built() if one is not None]
    return {d.path: StoredDocument(d.path, d.fingerprint, text_key(d.text)) for d in built}


def test_new_changed_and_unchanged_files_are_told_apart() -> None:
    known = held({"same.md": "a", "other.md": "b"})
    found = intake({"same.md": "a", "other.md": "c", "new.md": "d"}, known)
    built = [one.document.path if one else None for one in found.built()]
    assert built == ["new.md", "other.md", None]
    assert (found.added, found.changed, found.unchanged) == (1, ["other.md"], ["same.md"])


@pytest.mark.requirement(8)
def test_an_unchanged_file_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    files: Files = {"a.md": "# A", "b.py": "x = 1", "c.rst": "C"}
    known = held(files)
    parsed = parses(monkeypatch)
    list(intake(files | {"b.py": "x = 2"}, known).built())
    assert parsed == ["b.py"]


@pytest.mark.requirement(8)
def test_a_file_whose_bytes_are_known_by_name_is_not_even_read() -> None:
    files: Files = {"a.md": "# A", "b.md": "# B", "c.md": "# C"}
    known = held(files, MemorySource(files, named=True))
    later = MemorySource(files | {"b.md": "# B2"}, named=True)
    found = intake({}, known, later)
    assert [one is not None for one in found.built()] == [False, True, False]
    assert later.reads == ["b.md"]
    assert found.unchanged == ["a.md", "c.md"]


def test_a_title_from_the_source_makes_another_document_of_the_same_bytes() -> None:
    files: Files = {"a.md": "# A"}
    known = held(files, MemorySource(files, named=True))
    renamed = MemorySource(files, {"a.md": "B"}, named=True)
    (built,) = intake({}, known, renamed).built()
    assert built is not None
    assert built.document.nodes[0].title == "B"


def test_what_the_source_no_longer_gives_is_gone() -> None:
    known = held({"a.md": "a", "b.md": "b", "c.md": "c"})
    found = intake({"a.md": "a", "c.md": b"\0"}, known)
    list(found.built())
    assert found.gone() == ["b.md", "c.md"]


def test_a_text_that_went_from_one_path_to_another_is_told() -> None:
    known = held({"old.md": "the same", "stays.md": "x", "dies.md": "gone"})
    found = intake({"new.md": "the same", "stays.md": "x", "other.md": "unheard of"}, known)
    list(found.built())
    assert found.renamed() == (Renamed("old.md", "new.md"),)
    assert (found.added, found.gone()) == (2, ["dies.md", "old.md"])


def test_each_new_path_is_where_one_text_went() -> None:
    known = held({"a.md": "the same", "b.md": "the same", "c.md": "the same"})
    found = intake({"x.md": "the same", "y.md": "the same"}, known)
    list(found.built())
    assert found.renamed() == (Renamed("a.md", "x.md"), Renamed("b.md", "y.md"))


def test_an_empty_file_went_nowhere() -> None:
    found = intake({"new/__init__.py": ""}, held({"old/__init__.py": ""}))
    list(found.built())
    assert (found.renamed(), found.gone()) == ((), ["old/__init__.py"])


def test_a_copy_is_no_renaming() -> None:
    known = held({"old.md": "the same"})
    found = intake({"old.md": "the same", "copy.md": "the same"}, known)
    list(found.built())
    assert found.renamed() == ()


def test_a_bad_file_is_named_and_the_rest_goes_on() -> None:
    denied = SourceProblem("c.md", "cannot be read: Permission denied")
    found = intake({"a.md": b"\xff", "b.md": b"a\0", "c.md": denied, "d.md": "fine"})
    assert [one is not None for one in found.built()] == [False, False, False, True]
    assert found.problems == [
        SourceProblem("a.md", "not UTF-8: 0xff at byte 0"),
        SourceProblem("b.md", "binary: a NUL at byte 1"),
        denied,
    ]


def test_where_every_file_is_bad_there_is_nothing() -> None:
    bad: Files = {"a.md": b"\0"}
    for files, nothing in ((bad, True), (bad | {"b.md": "fine"}, False)):
        found = intake(files)
        list(found.built())
        assert found.nothing is nothing


def test_a_remark_does_not_keep_a_file_out() -> None:
    found = intake({"a.md": "---\na: [\n---\n"})
    assert any(found.built())
    assert [remark.path for remark in found.remarks] == ["a.md"]
