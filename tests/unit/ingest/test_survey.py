"""The survey before an ingest: sorted, each path once, nothing that a citation could not name."""

import pytest

from docgraph.ingest.survey import nothing_usable, survey
from docgraph.ports.source import Problem
from tests.support.memory_source import MemorySource


def test_files_are_sorted_whatever_order_the_source_lists_them_in() -> None:
    found = survey(MemorySource({"b.md": "", "a.md": "", "c.txt": ""}))
    assert [file.path for file, _ in found.files] == ["a.md", "b.md", "c.txt"]


def test_files_that_no_reader_reads_are_counted_by_suffix() -> None:
    found = survey(MemorySource({"a.bin": "", "b.bin": "", "Makefile": ""}))
    assert found.skipped == ((".bin", 2), ("no suffix", 1))


@pytest.mark.requirement(11)
@pytest.mark.parametrize("path", ["new\nline.md", "bell\x07.md", "escape\x1b[0m.md", "next\x85.md"])
def test_a_name_with_control_characters_is_reported_not_taken(path: str) -> None:
    (problem,) = survey(MemorySource({path: "# Title\n"})).problems
    assert problem == Problem(repr(path), "its name holds control characters")


def test_nothing_usable_says_for_each_file_why() -> None:
    told = str(nothing_usable((Problem("a.md", "binary"),), ((".bin", 2),)))
    assert "a.md: binary; 2 x .bin: no reader for it" in told
    assert ".md" in told
