"""A digest is reused only while its file cannot have changed."""

import os
from pathlib import Path

import pytest

from docgraph.adapters.sources.digest_memory import DigestMemory, signature_of
from docgraph.adapters.sources.folder import FolderSource
from docgraph.model.digest import digest_bytes
from docgraph.model.errors import SourceChanged
from docgraph.ports.source import SourceFile

LATER = 10.0


class Clock:
    """Seconds after the last change of `file`."""

    def __init__(self, file: Path, seconds: float) -> None:
        self.file, self.seconds = file, seconds

    def __call__(self) -> float:
        return self.file.stat().st_ctime + self.seconds


def listed(source: FolderSource) -> SourceFile:
    (found,) = source.files()
    assert isinstance(found, SourceFile)
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "a.md"
    place.write_text("# A\n", encoding="utf-8")
    return place


def test_a_file_that_was_read_is_listed_with_its_digest(file: Path) -> None:
    source = FolderSource(file.parent, memory=DigestMemory(Clock(file, LATER)))
    first = listed(source)
    assert first.content_id is None
    assert source.read(first) == b"# A\n"
    assert listed(source).content_id == digest_bytes(b"# A\n")


def test_a_file_that_was_read_just_after_its_change_is_read_again(file: Path) -> None:
    """It could change once more within the same tick of the file system's clock."""
    source = FolderSource(file.parent, memory=DigestMemory(Clock(file, 1.0)))
    source.read(listed(source))
    assert listed(source).content_id is None


def test_a_change_of_the_same_size_and_time_is_seen(file: Path) -> None:
    source = FolderSource(file.parent, memory=DigestMemory(Clock(file, LATER)))
    source.read(listed(source))
    before = file.stat()
    replaced = file.with_name("b")
    replaced.write_text("# B\n", encoding="utf-8")
    replaced.replace(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert listed(source).content_id is None


def test_a_file_that_changes_between_its_listing_and_its_reading_ends_the_ingest(
    file: Path,
) -> None:
    """Its old digest must not be stored with its new text."""
    source = FolderSource(file.parent, memory=DigestMemory(Clock(file, LATER)))
    source.read(listed(source))
    known = listed(source)
    file.write_text("# Another\n", encoding="utf-8")
    with pytest.raises(SourceChanged, match=r"a\.md changed while it was ingested"):
        source.read(known)
    assert listed(source).content_id in (None, digest_bytes(b"# Another\n"))


def test_a_file_that_changes_while_it_is_read_is_not_kept(file: Path) -> None:
    memory = DigestMemory(Clock(file, LATER))
    before = file.stat()
    file.write_text("# Longer\n", encoding="utf-8")
    memory.record("a.md", "digest", before, file.stat())
    assert memory.find("a.md", file.stat()) is None
    assert signature_of(before) != signature_of(file.stat())


def test_what_is_forgotten_is_read_again(file: Path) -> None:
    memory = DigestMemory(Clock(file, LATER))
    status = file.stat()
    for path in ("a.md", "b.md"):
        memory.record(path, "digest", status, status)
    memory.forget(["a.md", "absent.md"])
    assert [memory.find(path, status) for path in ("a.md", "b.md")] == [None, "digest"]


def test_a_link_has_the_digest_of_its_file(file: Path) -> None:
    (file.parent / "b.md").symlink_to("a.md")
    source = FolderSource(file.parent, memory=DigestMemory(Clock(file, LATER)))
    for found in source.files():
        assert isinstance(found, SourceFile)
        source.read(found)
    ids = [one.content_id for one in source.files() if isinstance(one, SourceFile)]
    assert ids == [digest_bytes(b"# A\n")] * 2
