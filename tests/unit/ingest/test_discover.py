"""The survey before an ingest: sorted, each path once, nothing that a citation could not name."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from docgraph.adapters.sources.jsonl import JsonlSource, ManifestSource
from docgraph.ingest.discover import list_source, nothing_to_ingest
from docgraph.ports.source import SourceFile, SourceProblem
from tests.support.memory_source import MemorySource


def test_files_are_sorted_whatever_order_the_source_lists_them_in() -> None:
    found = list_source(MemorySource({"b.md": "", "a.md": "", "c.txt": ""}))
    assert [file.path for file, _ in found.files] == ["a.md", "b.md", "c.txt"]


def test_files_that_no_reader_reads_are_counted_by_suffix() -> None:
    found = list_source(MemorySource({"a.bin": "", "b.bin": "", "Makefile": ""}))
    assert found.skipped == ((".bin", 2), ("no suffix", 1))


@pytest.mark.requirement(11)
@pytest.mark.parametrize("path", ["new\nline.md", "bell\x07.md", "escape\x1b[0m.md", "next\x85.md"])
def test_a_name_with_control_characters_is_reported_not_taken(path: str) -> None:
    (problem,) = list_source(MemorySource({path: "# Title\n"})).problems
    assert problem == SourceProblem(repr(path), "its name holds control characters")


@pytest.mark.requirement(35)
@pytest.mark.parametrize("name", ["access.yml", "Access.yaml", "ACCESS.YML"])
def test_misspelt_rules_at_the_root_deny_unless_access_yaml_exists(name: str) -> None:
    found = list_source(MemorySource({name: "", "a.md": ""}))
    assert found.access == SourceProblem(name, "rules stand in access.yaml: rename it")
    assert (found.problems, [file.path for file, _ in found.files]) == ((), ["a.md"])
    both = list_source(MemorySource({name: "", "access.yaml": "", "a.md": ""}))
    assert both.access == SourceFile("access.yaml", 0)
    assert both.problems == (
        SourceProblem(name, "not read: rules stand in access.yaml at the root"),
    )


@pytest.mark.requirement(35)
def test_of_several_misspelt_rules_each_is_reported_once() -> None:
    found = list_source(MemorySource({"access.yml": "", "Access.yaml": "", "docs/access.yml": ""}))
    assert found.access == SourceProblem("Access.yaml", "rules stand in access.yaml: rename it")
    assert {problem.path for problem in found.problems} == {"access.yml", "docs/access.yml"}


@pytest.mark.requirement(35)
def test_misspelt_rules_that_cannot_be_read_deny_as_well() -> None:
    class Dangling(MemorySource):
        def files(self) -> Iterator[SourceFile | SourceProblem]:
            yield SourceProblem("access.yml", "a link that leads nowhere")

    found = list_source(Dangling({}))
    assert found.access == SourceProblem("access.yml", "rules stand in access.yaml: rename it")


@pytest.mark.requirement(35)
def test_rules_in_a_folder_below_deny_nothing_and_are_reported() -> None:
    found = list_source(MemorySource({"docs/access.yaml": "", "a.md": ""}))
    assert found.access is None
    assert [problem.path for problem in found.problems] == ["docs/access.yaml"]


@pytest.mark.requirement(35)
def test_a_row_of_a_corpus_is_a_document_whatever_it_is_called(tmp_path: Path) -> None:
    names = ["Access.yml", "access.yaml", "docs/access.yaml", "relations.yaml"]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(json.dumps({"_id": name, "text": "x"}) for name in names))
    found = list_source(JsonlSource(corpus))
    assert [file.path for file, _ in found.files] == names
    assert (found.access, found.relations, found.problems) == (None, None, ())


@pytest.mark.requirement(35)
def test_a_manifest_lists_a_repository_s_files_so_its_rules_count() -> None:
    names = {"access.yaml": "1", "relations.yaml": "1", "a.md": "1"}
    found = list_source(ManifestSource(names, {"1": ""}))
    assert found.access == SourceFile("access.yaml", 0)
    assert found.relations == SourceFile("relations.yaml", 0)


def test_nothing_to_ingest_has_a_reason_for_each_file() -> None:
    message = str(nothing_to_ingest((SourceProblem("a.md", "binary"),), ((".bin", 2),)))
    assert "a.md: binary; 2 x .bin: no reader for it" in message
    assert ".md" in message
