"""All who speak on who may read a document, and how an ingest hears them."""

from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.ingest.access_rules import AccessRules, parse_access_file
from docgraph.ingest.result import IngestResult
from docgraph.ingest.run import ingest
from docgraph.model.access import EVERYONE, LOCAL_ONLY, AccessRule, intersect_rules
from docgraph.ports.source import SourceProblem
from tests.unit.ingest.fakes import HashEmbedder, MemorySource
from tests.unit.ingest.memory_writer import MemoryWriter

OPEN = AccessRule("local", frozenset({EVERYONE}))
STAFF = AccessRule("local", frozenset({"staff"}))
NOBODY = AccessRule("local")
YAML = '- {path: "**", readers: everyone}\n- {path: pay/, readers: [staff, board], level: 1}\n'
SAYS_STAFF = "---\naccess: staff\n---\n# Plan\n"


def run(files: dict[str, Any], writes: MemoryWriter, **options: Any) -> IngestResult:
    return ingest(
        MemorySource(files), writes, HashEmbedder(), repository="r", tenant="local", **options
    )


def rule(writes: MemoryWriter, path: str) -> AccessRule:
    return intersect_rules("local", writes.access.by_path[path])


def speakers(writes: MemoryWriter, path: str) -> list[tuple[str, int]]:
    return [(word.source, word.line) for word in writes.access.by_path[path]]


@pytest.mark.requirement(35)
def test_where_nobody_speaks_nobody_reads_unless_someone_answers_for_that() -> None:
    writes = MemoryWriter()
    run({"a.md": "x"}, writes)
    assert (rule(writes, "a.md"), writes.access.by_path["a.md"]) == (NOBODY, ())
    run({"a.md": "x"}, writes, otherwise=LOCAL_ONLY)
    assert (rule(writes, "a.md"), speakers(writes, "a.md")) == (LOCAL_ONLY, [("default", 0)])


@pytest.mark.requirement(35)
def test_what_counts_otherwise_is_silent_as_soon_as_anyone_speaks() -> None:
    for said in ({"rule_for": lambda _: STAFF}, {}):
        writes = MemoryWriter()
        files = {"a.md": "x" if said else SAYS_STAFF}
        run(files, writes, otherwise=LOCAL_ONLY, **said)
        assert rule(writes, "a.md") == STAFF


@pytest.mark.requirement(35)
def test_file_document_and_options_are_all_heard() -> None:
    writes = MemoryWriter()
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
    assert "access.yaml" not in writes.documents.by_path()


@pytest.mark.requirement(35)
def test_a_label_alone_narrows_and_speaks_for_nobody() -> None:
    labelled = AccessRule("local", frozenset({EVERYONE}), frozenset({"eu"}), 2)
    writes = MemoryWriter()
    run({"a.md": "x"}, writes, otherwise=LOCAL_ONLY, narrowed_by=labelled)
    assert rule(writes, "a.md") == AccessRule("local", frozenset({"local"}), frozenset({"eu"}), 2)
    bare = MemoryWriter()
    run({"a.md": "x"}, bare, narrowed_by=labelled)
    assert rule(bare, "a.md").readers == frozenset({EVERYONE})


@pytest.mark.requirement(35)
def test_a_document_that_is_not_read_again_still_says_what_it_said() -> None:
    writes = MemoryWriter()
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
    for broken in ("- [", b"\xff\xfe", SourceProblem("access.yaml", "leads out of the root")):
        writes = MemoryWriter()
        found = run({"access.yaml": broken, "a.md": "x"}, writes, rule_for=lambda _: OPEN)
        assert rule(writes, "a.md") == NOBODY
        assert [problem.path.partition(":")[0] for problem in found.problems] == ["access.yaml"]


def test_a_file_in_the_wrong_place_is_told() -> None:
    writes = MemoryWriter()
    found = run({"docs/access.yaml": YAML, "a.md": "x"}, writes, rule_for=lambda _: OPEN)
    reason = "not read: rules stand in access.yaml at the root"
    assert found.problems == (SourceProblem("docs/access.yaml", reason),)
    assert rule(writes, "a.md") == OPEN


@pytest.mark.requirement(35)
def test_a_misspelt_file_denies_and_is_told_by_its_own_name() -> None:
    for path in ("access.yml", "Access.yaml"):
        writes = MemoryWriter()
        found = run({path: YAML, "a.md": "x"}, writes, rule_for=lambda _: OPEN)
        assert rule(writes, "a.md") == NOBODY
        reason = "rules stand in access.yaml: rename it"
        assert found.problems == (SourceProblem(path, reason),)
        assert writes.access.by_path["a.md"][0].says == f"{path}: {reason}"


@pytest.mark.requirement(35)
def test_statements_for_every_path_of_a_file_count() -> None:
    lines, _ = parse_access_file(YAML.encode(), "local")
    rules = AccessRules("local", lines, default=LOCAL_ONLY)
    statements = rules.renew_statements("open/link.md", (), ("pay/a.md", "b.md"))
    assert [(one.source, one.line) for one in statements] == [
        ("access.yaml", 1),
        ("access.yaml", 2),
    ]
    assert intersect_rules("local", statements).readers == frozenset({"staff", "board"})
    linked = rules.renew_statements("pay/link.md", (), ("pay/a.md",))
    assert linked == rules.renew_statements("pay/a.md", ())
    assert AccessRules("local").renew_statements("link.md", (), ("pay/a.md",)) == ()


@pytest.mark.requirement(35)
def test_a_link_opens_nothing_also_when_the_file_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "pay").mkdir()
    (tmp_path / "open").mkdir()
    for path in ("pay/b.md", "open/a.md"):
        (tmp_path / path).write_text("x")
    (tmp_path / "access.yaml").write_text(YAML)
    link = tmp_path / "open/link.md"
    link.symlink_to("../pay/b.md")
    kept = AccessRule("local", frozenset({"staff", "board"}), frozenset(), 1)
    writes = MemoryWriter()

    def taken_in() -> int:
        source = FolderSource(tmp_path)
        return ingest(source, writes, HashEmbedder(), repository="r", tenant="local").unchanged

    for unchanged in (0, 3):
        assert taken_in() == unchanged
        assert (rule(writes, "open/link.md"), rule(writes, "open/a.md")) == (kept, OPEN)
    link.unlink()
    link.symlink_to("a.md")  # the same bytes
    assert (taken_in(), rule(writes, "open/link.md")) == (3, OPEN)


def test_a_changed_file_alone_makes_a_snapshot() -> None:
    writes = MemoryWriter()
    run({"access.yaml": YAML, "a.md": "x"}, writes)
    narrower = '- {path: "**", readers: [staff]}\n'
    found = run({"access.yaml": narrower, "a.md": "x"}, writes)
    assert found.snapshot is not None
    assert (found.unchanged, rule(writes, "a.md")) == (1, STAFF)
