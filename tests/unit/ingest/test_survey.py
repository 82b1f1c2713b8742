"""Before an ingest: which files there are, and why there may be none."""

from docgraph.ingest.survey import nothing_usable, survey
from docgraph.ports.source import Problem
from tests.unit.ingest.fakes import MemorySource


def test_files_are_sorted_whatever_the_sources_order() -> None:
    found = survey(MemorySource({"b.md": "", "a.py": "", "c/a.txt": ""}))
    assert [(file.path, known.name) for file, known in found.files] == [
        ("a.py", "python"),
        ("b.md", "markdown"),
        ("c/a.txt", "text"),
    ]


def test_files_that_nobody_reads_are_counted_by_suffix() -> None:
    found = survey(MemorySource({"a.PNG": "", "b.png": "", "Makefile": "", "c.md": ""}))
    assert found.skipped == ((".png", 2), ("no suffix", 1))


def test_nothing_usable_says_why_for_every_file() -> None:
    error = nothing_usable((Problem("a.md", "binary"),), ((".png", 2),))
    said = str(error)
    assert said.startswith("nothing to ingest: a.md: binary; 2 x .png: no reader for it.")
    assert said.endswith("Readable are .markdown .md .py .rest .rst .text .txt")
    assert str(nothing_usable((), ())).startswith("nothing to ingest: there are no files.")


def test_a_long_list_of_reasons_is_shortened() -> None:
    many = tuple(Problem(f"{n}.md", "binary") for n in range(12))
    assert "9.md: binary; and 2 more." in str(nothing_usable(many, ()))
