"""Every file that may have changed is read, and what has changed is built."""

import pytest

from docgraph.ingest.access_rules import AccessRules
from docgraph.ingest.changed_files import ChangedFiles
from docgraph.ingest.discover import list_source
from docgraph.ingest.result import Renamed
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import StoredDocument, text_key
from tests.unit.ingest.fakes import MemorySource, parses

RULES = AccessRules("local", options=lambda _: LOCAL_ONLY)
Files = dict[str, str | bytes | SourceProblem]
Stored = dict[str, StoredDocument]


def changed_files(
    files: Files, stored: Stored | None = None, source: MemorySource | None = None
) -> ChangedFiles:
    source = source or MemorySource(files)
    return ChangedFiles(source, list_source(source), stored or {}, "r", RULES, 800)


def stored(files: Files, source: MemorySource | None = None) -> Stored:
    """The stored documents after an ingest of these files."""
    built = [one.document for one in changed_files(files, source=source).build() if one is not None]
    return {d.path: StoredDocument(d.path, d.fingerprint, text_key(d.text)) for d in built}


def test_new_changed_and_unchanged_files_are_distinguished() -> None:
    known = stored({"same.md": "a", "other.md": "b"})
    found = changed_files({"same.md": "a", "other.md": "c", "new.md": "d"}, known)
    built = [one.document.path if one else None for one in found.build()]
    assert built == ["new.md", "other.md", None]
    assert (found.added, found.changed, found.unchanged) == (1, ["other.md"], ["same.md"])


@pytest.mark.requirement(8)
def test_an_unchanged_file_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    files: Files = {"a.md": "# A", "b.py": "x = 1", "c.rst": "C"}
    known = stored(files)
    parsed = parses(monkeypatch)
    list(changed_files(files | {"b.py": "x = 2"}, known).build())
    assert parsed == ["b.py"]


@pytest.mark.requirement(8)
def test_a_file_whose_bytes_are_known_by_digest_is_not_read() -> None:
    files: Files = {"a.md": "# A", "b.md": "# B", "c.md": "# C"}
    known = stored(files, MemorySource(files, named=True))
    later = MemorySource(files | {"b.md": "# B2"}, named=True)
    found = changed_files({}, known, later)
    assert [one is not None for one in found.build()] == [False, True, False]
    assert later.reads == ["b.md"]
    assert found.unchanged == ["a.md", "c.md"]


def test_a_title_from_the_source_makes_another_document_of_the_same_bytes() -> None:
    files: Files = {"a.md": "# A"}
    known = stored(files, MemorySource(files, named=True))
    renamed = MemorySource(files, {"a.md": "B"}, named=True)
    (built,) = changed_files({}, known, renamed).build()
    assert built is not None
    assert built.document.nodes[0].title == "B"


def test_what_the_source_no_longer_has_is_removed() -> None:
    known = stored({"a.md": "a", "b.md": "b", "c.md": "c"})
    found = changed_files({"a.md": "a", "c.md": b"\0"}, known)
    list(found.build())
    assert found.removed() == ["b.md", "c.md"]


def test_a_text_that_moved_to_another_path_is_renamed() -> None:
    known = stored({"old.md": "the same", "stays.md": "x", "dies.md": "gone"})
    found = changed_files({"new.md": "the same", "stays.md": "x", "other.md": "other words"}, known)
    list(found.build())
    assert found.renamed() == (Renamed("old.md", "new.md"),)
    assert (found.added, found.removed()) == (2, ["dies.md", "old.md"])


def test_each_new_path_is_the_new_name_of_one_file() -> None:
    known = stored({"a.md": "the same", "b.md": "the same", "c.md": "the same"})
    found = changed_files({"x.md": "the same", "y.md": "the same"}, known)
    list(found.build())
    assert found.renamed() == (Renamed("a.md", "x.md"), Renamed("b.md", "y.md"))


def test_an_empty_file_is_never_renamed() -> None:
    found = changed_files({"new/__init__.py": ""}, stored({"old/__init__.py": ""}))
    list(found.build())
    assert (found.renamed(), found.removed()) == ((), ["old/__init__.py"])


def test_a_copy_is_no_renaming() -> None:
    known = stored({"old.md": "the same"})
    found = changed_files({"old.md": "the same", "copy.md": "the same"}, known)
    list(found.build())
    assert found.renamed() == ()


def test_a_bad_file_is_named_and_the_rest_is_read() -> None:
    denied = SourceProblem("c.md", "cannot be read: Permission denied")
    found = changed_files({"a.md": b"\xff", "b.md": b"a\0", "c.md": denied, "d.md": "fine"})
    assert [one is not None for one in found.build()] == [False, False, False, True]
    assert found.problems == [
        SourceProblem("a.md", "not UTF-8: 0xff at byte 0"),
        SourceProblem("b.md", "binary: a NUL at byte 1"),
        denied,
    ]


def test_where_every_file_is_bad_the_result_is_empty() -> None:
    bad: Files = {"a.md": b"\0"}
    for files, empty in ((bad, True), (bad | {"b.md": "fine"}, False)):
        found = changed_files(files)
        list(found.build())
        assert found.is_empty is empty


def test_a_remark_does_not_keep_a_file_out() -> None:
    found = changed_files({"a.md": "---\na: [\n---\n"})
    assert any(found.build())
    assert [remark.path for remark in found.remarks] == ["a.md"]
