"""All who speak on who may read a document, and how an ingest hears them."""

from typing import Any

import pytest

from docgraph.ingest.result import IngestResult
from docgraph.ingest.run import ingest
from docgraph.model.access import EVERYONE, LOCAL_ONLY, AccessRule, together
from docgraph.ports.source import Problem
from tests.unit.ingest.fakes import HashEmbedder, MemorySource, MemoryWrites

OPEN = AccessRule("local", frozenset({EVERYONE}))
STAFF = AccessRule("local", frozenset({"staff"}))
NOBODY = AccessRule("local")
YAML = '- {path: "**", readers: everyone}\n- {path: pay/, readers: [staff, board], level: 1}\n'
SAYS_STAFF = "---\naccess: staff\n---\n# Plan\n"


def run(files: dict[str, Any], writes: MemoryWrites, **options: Any) -> IngestResult:
    return ingest(
        MemorySource(files), writes, HashEmbedder(), repository="r", tenant="local", **options
    )


def rule(writes: MemoryWrites, path: str) -> AccessRule:
    return together("local", writes.told[path])


def speakers(writes: MemoryWrites, path: str) -> list[tuple[str, int]]:
    return [(word.source, word.line) for word in writes.told[path]]


@pytest.mark.requirement(35)
def test_where_nobody_speaks_nobody_reads_unless_someone_answers_for_that() -> None:
    writes = MemoryWrites()
    run({"a.md": "x"}, writes)
    assert (rule(writes, "a.md"), writes.told["a.md"]) == (NOBODY, ())
    run({"a.md": "x"}, writes, otherwise=LOCAL_ONLY)
    assert (rule(writes, "a.md"), speakers(writes, "a.md")) == (LOCAL_ONLY, [("default", 0)])


@pytest.mark.requirement(35)
def test_what_counts_otherwise_is_silent_as_soon_as_anyone_speaks() -> None:
    for said in ({"rule_for": lambda _: STAFF}, {}):
        writes = MemoryWrites()
        files = {"a.md": "x" if said else SAYS_STAFF}
        run(files, writes, otherwise=LOCAL_ONLY, **said)
        assert rule(writes, "a.md") == STAFF


@pytest.mark.requirement(35)
def test_file_document_and_options_are_all_heard() -> None:
    writes = MemoryWrites()
    board = AccessRule("local", frozenset({"staff", "board"}), frozenset({"eu"}))
    run(
        {"access.yaml": YAML, "pay/a.md": SAYS_STAFF, "b.md": "x"},
        writes,
        rule_for=lambda _: board,
        otherwise=LOCAL_ONLY,
    )
    assert speakers(writes, "pay/a.md") == [
        ("access.yaml", 2),
        ("front matter", 2),
        ("ingest options", 0),
    ]
    assert rule(writes, "pay/a.md") == AccessRule(
        "local", frozenset({"staff"}), frozenset({"eu"}), 1
    )
    assert rule(writes, "b.md") == board
    assert "access.yaml" not in writes.documents


@pytest.mark.requirement(35)
def test_a_label_alone_narrows_and_speaks_for_nobody() -> None:
    labelled = AccessRule("local", frozenset({EVERYONE}), frozenset({"eu"}), 2)
    writes = MemoryWrites()
    run({"a.md": "x"}, writes, otherwise=LOCAL_ONLY, narrowed_by=labelled)
    assert rule(writes, "a.md") == AccessRule("local", frozenset({"local"}), frozenset({"eu"}), 2)
    bare = MemoryWrites()
    run({"a.md": "x"}, bare, narrowed_by=labelled)
    assert rule(bare, "a.md").readers == frozenset({EVERYONE})


@pytest.mark.requirement(35)
def test_a_document_that_is_not_read_again_still_says_what_it_said() -> None:
    writes = MemoryWrites()
    files = {"a.md": SAYS_STAFF, "b.md": "x"}
    run(files, writes, rule_for=lambda _: OPEN)
    found = run(files, writes, rule_for=lambda _: OPEN)
    assert (found.unchanged, found.snapshot) == (2, None)
    assert (rule(writes, "a.md"), rule(writes, "b.md")) == (STAFF, OPEN)
    run({**files, "access.yaml": YAML}, writes)
    assert speakers(writes, "a.md") == [("access.yaml", 1), ("front matter", 2)]
    assert rule(writes, "a.md") == STAFF


@pytest.mark.requirement(35)
def test_a_file_that_is_there_and_cannot_be_read_denies() -> None:
    for broken in ("- [", b"\xff\xfe", Problem("access.yaml", "leads out of the root")):
        writes = MemoryWrites()
        found = run({"access.yaml": broken, "a.md": "x"}, writes, rule_for=lambda _: OPEN)
        assert rule(writes, "a.md") == NOBODY
        assert [problem.path.partition(":")[0] for problem in found.problems] == ["access.yaml"]


def test_a_file_in_the_wrong_place_or_misspelt_is_told() -> None:
    for path in ("access.yml", "Access.yaml", "docs/access.yaml"):
        found = run({path: YAML, "a.md": "x"}, MemoryWrites(), rule_for=lambda _: OPEN)
        assert found.problems == (
            Problem(path, "not read: rules stand in access.yaml at the root"),
        )


def test_a_changed_file_alone_makes_a_snapshot() -> None:
    writes = MemoryWrites()
    run({"access.yaml": YAML, "a.md": "x"}, writes)
    narrower = '- {path: "**", readers: [staff]}\n'
    found = run({"access.yaml": narrower, "a.md": "x"}, writes)
    assert found.snapshot is not None
    assert (found.unchanged, rule(writes, "a.md")) == (1, STAFF)
