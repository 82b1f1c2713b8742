"""The rules on who may read a document, and how an ingest combines them."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.ingest.access_rules import AccessRules, parse_access_file
from docgraph.ingest.result import IngestResult
from docgraph.ingest.run import ingest
from docgraph.model.access import EVERYONE, LOCAL_ONLY, AccessRule, intersect_rules
from docgraph.model.errors import NotAuthorized
from docgraph.ports.source import SourceProblem
from tests.unit.ingest.fakes import HashEmbedder, MemorySource
from tests.unit.ingest.memory_writer import MemoryWriter

OPEN = AccessRule("local", frozenset({EVERYONE}))
STAFF = AccessRule("local", frozenset({"staff"}))
NOBODY = AccessRule("local")
YAML = '- {path: "**", readers: everyone}\n- {path: pay/, readers: [staff, board], level: 1}\n'
STAFF_ONLY = "---\naccess: staff\n---\n# Plan\n"


def run(files: dict[str, Any], writer: MemoryWriter, **options: Any) -> IngestResult:
    return ingest(
        MemorySource(files), writer, HashEmbedder(), repository="r", tenant="local", **options
    )


def rule(writer: MemoryWriter, path: str) -> AccessRule:
    return intersect_rules("local", writer.access.by_path[path])


def sources_of(writer: MemoryWriter, path: str) -> list[tuple[str, int]]:
    return [(one.source, one.line) for one in writer.access.by_path[path]]


@pytest.mark.requirement(35)
def test_without_a_statement_nobody_reads_unless_there_is_a_default() -> None:
    writer = MemoryWriter()
    run({"a.md": "x"}, writer)
    assert (rule(writer, "a.md"), writer.access.by_path["a.md"]) == (NOBODY, ())
    writer = MemoryWriter()
    run({"a.md": "x"}, writer, default_rule=LOCAL_ONLY)
    assert (rule(writer, "a.md"), sources_of(writer, "a.md")) == (LOCAL_ONLY, [("default", 0)])


@pytest.mark.requirement(35)
def test_the_default_does_not_apply_where_anything_is_stated() -> None:
    for options in ({"rule_for": lambda _: STAFF}, {}):
        writer = MemoryWriter()
        files = {"a.md": "x" if options else STAFF_ONLY}
        run(files, writer, default_rule=LOCAL_ONLY, **options)
        assert rule(writer, "a.md") == STAFF


@pytest.mark.requirement(35)
def test_file_document_and_options_all_apply() -> None:
    writer = MemoryWriter()
    board = AccessRule("local", frozenset({"staff", "board"}), frozenset({"eu"}))
    run(
        {"access.yaml": YAML, "pay/a.md": STAFF_ONLY, "b.md": "x"},
        writer,
        rule_for=lambda _: board,
        default_rule=LOCAL_ONLY,
    )
    assert sources_of(writer, "pay/a.md") == [
        ("access.yaml", 2),
        ("front matter", 2),
        ("ingest options", 0),
    ]
    assert rule(writer, "pay/a.md") == AccessRule(
        "local", frozenset({"staff"}), frozenset({"eu"}), 1
    )
    assert rule(writer, "b.md") == board
    assert "access.yaml" not in writer.documents.by_path()


@pytest.mark.requirement(35)
def test_a_restriction_alone_grants_nothing() -> None:
    labelled = AccessRule("local", frozenset({EVERYONE}), frozenset({"eu"}), 2)
    writer = MemoryWriter()
    run({"a.md": "x"}, writer, default_rule=LOCAL_ONLY, restriction=labelled)
    assert rule(writer, "a.md") == AccessRule("local", frozenset({"local"}), frozenset({"eu"}), 2)
    bare = MemoryWriter()
    run({"a.md": "x"}, bare, restriction=labelled)
    assert rule(bare, "a.md") == NOBODY


@pytest.mark.requirement(35)
def test_a_document_that_is_not_read_again_keeps_its_statement() -> None:
    writer = MemoryWriter()
    files = {"a.md": STAFF_ONLY, "b.md": "x"}
    run(files, writer, rule_for=lambda _: OPEN)
    found = run(files, writer, rule_for=lambda _: OPEN)
    assert (found.unchanged, found.snapshot) == (2, None)
    assert (rule(writer, "a.md"), rule(writer, "b.md")) == (STAFF, OPEN)
    run({**files, "access.yaml": YAML}, writer)
    assert sources_of(writer, "a.md") == [
        ("access.yaml", 1),
        ("front matter", 2),
        ("ingest options", 0),
    ]
    assert rule(writer, "a.md") == STAFF


@pytest.mark.requirement(35)
def test_a_file_that_is_there_and_cannot_be_read_denies() -> None:
    for broken in ("- [", b"\xff\xfe", SourceProblem("access.yaml", "leads out of the root")):
        writer = MemoryWriter()
        found = run({"access.yaml": broken, "a.md": "x"}, writer, rule_for=lambda _: OPEN)
        assert rule(writer, "a.md") == NOBODY
        assert [problem.path.partition(":")[0] for problem in found.problems] == ["access.yaml"]


def test_a_file_in_the_wrong_folder_is_reported() -> None:
    writer = MemoryWriter()
    found = run({"docs/access.yaml": YAML, "a.md": "x"}, writer, rule_for=lambda _: OPEN)
    reason = "not read: rules stand in access.yaml at the root"
    assert found.problems == (SourceProblem("docs/access.yaml", reason),)
    assert rule(writer, "a.md") == OPEN


@pytest.mark.requirement(35)
def test_a_misspelt_file_denies_and_is_reported_by_its_own_name() -> None:
    for path in ("access.yml", "Access.yaml"):
        writer = MemoryWriter()
        found = run({path: YAML, "a.md": "x"}, writer, rule_for=lambda _: OPEN)
        assert rule(writer, "a.md") == NOBODY
        reason = "rules stand in access.yaml: rename it"
        assert found.problems == (SourceProblem(path, reason),)
        assert writer.access.by_path["a.md"][0].text == f"{path}: {reason}"


@pytest.mark.requirement(35)
def test_statements_for_every_path_of_a_file_count() -> None:
    lines, _ = parse_access_file(YAML.encode(), "local")
    rules = AccessRules("local", lines, default=LOCAL_ONLY)
    statements = rules.renew_statements("open/link.md", ("pay/a.md", "b.md"))
    assert [(one.source, one.line) for one in statements] == [
        ("access.yaml", 1),
        ("access.yaml", 2),
    ]
    assert intersect_rules("local", statements).readers == frozenset({"staff", "board"})
    linked = rules.renew_statements("pay/link.md", ("pay/a.md",))
    assert linked == rules.renew_statements("pay/a.md")
    assert AccessRules("local").renew_statements("link.md", ("pay/a.md",)) == ()


@pytest.mark.requirement(35)
def test_a_link_opens_nothing_also_when_the_file_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "pay").mkdir()
    (tmp_path / "open").mkdir()
    for path in ("pay/b.md", "open/a.md"):
        (tmp_path / path).write_text("x")
    (tmp_path / "access.yaml").write_text(YAML)
    link = tmp_path / "open/link.md"
    link.symlink_to("../pay/b.md")
    restricted = AccessRule("local", frozenset({"staff", "board"}), frozenset(), 1)
    writer = MemoryWriter()

    def ingest_folder() -> int:
        source = FolderSource(tmp_path)
        return ingest(source, writer, HashEmbedder(), repository="r", tenant="local").unchanged

    for unchanged in (0, 3):
        assert ingest_folder() == unchanged
        assert (rule(writer, "open/link.md"), rule(writer, "open/a.md")) == (restricted, OPEN)
    link.unlink()
    link.symlink_to("a.md")  # the same bytes
    assert (ingest_folder(), rule(writer, "open/link.md")) == (3, OPEN)


def test_a_changed_file_alone_makes_a_snapshot() -> None:
    writer = MemoryWriter()
    run({"access.yaml": YAML, "a.md": "x"}, writer)
    narrower = '- {path: "**", readers: [staff]}\n'
    found = run({"access.yaml": narrower, "a.md": "x"}, writer)
    assert found.snapshot is not None
    assert (found.unchanged, rule(writer, "a.md")) == (1, STAFF)


# Silence: what is not stated anew stays as it is.


@pytest.mark.requirement(35)
def test_silence_removes_no_reader_and_adds_none() -> None:
    for said in ({"rule_for": lambda _: STAFF}, {"default_rule": STAFF}, {}):
        writer = MemoryWriter()
        run({"a.md": "x"}, writer, **said)
        before = rule(writer, "a.md")
        run({"a.md": "y", "new.md": "x"}, writer, default_rule=LOCAL_ONLY)
        assert (rule(writer, "a.md"), rule(writer, "new.md")) == (before, before)


@pytest.mark.requirement(35)
def test_an_access_file_that_is_gone_applies_until_another_says_otherwise() -> None:
    writer = MemoryWriter()
    run({"access.yaml": YAML, "pay/a.md": "x"}, writer)
    found = run({"pay/a.md": "y", "pay/new.md": "x"}, writer, default_rule=LOCAL_ONLY)
    assert rule(writer, "pay/a.md") == rule(writer, "pay/new.md")
    assert rule(writer, "pay/a.md").readers == {"staff", "board"}
    assert [remark.path for remark in found.remarks] == ["access.yaml"]
    run({"access.yaml": '- {path: "**", readers: everyone}\n', "pay/a.md": "y"}, writer)
    assert rule(writer, "pay/a.md") == OPEN


@pytest.mark.requirement(35)
def test_front_matter_that_is_gone_still_applies_and_is_reported() -> None:
    writer = MemoryWriter()
    run({"a.md": STAFF_ONLY}, writer, rule_for=lambda _: OPEN)
    found = run({"a.md": "# Plan\n"}, writer, rule_for=lambda _: OPEN)
    assert rule(writer, "a.md") == STAFF
    assert [remark.path for remark in found.remarks] == ["a.md"]
    run({"a.md": "---\naccess: everyone\n---\n# Plan\n"}, writer, rule_for=lambda _: OPEN)
    assert rule(writer, "a.md") == OPEN


@pytest.mark.requirement(35)
def test_labels_and_a_level_alone_keep_the_readers() -> None:
    writer = MemoryWriter()
    run({"a.md": "x"}, writer, rule_for=lambda _: STAFF)
    labelled = AccessRule("local", frozenset({EVERYONE}), frozenset({"eu"}))
    run({"a.md": "x"}, writer, restriction=labelled)
    assert rule(writer, "a.md") == AccessRule("local", frozenset({"staff"}), frozenset({"eu"}))


@pytest.mark.requirement(73)
@pytest.mark.parametrize("before", [{"rule_for": lambda _: STAFF}, {"default_rule": STAFF}, {}])
@pytest.mark.parametrize(
    "said",
    [
        {"rule_for": lambda _: OPEN},
        {"restriction": AccessRule("local", frozenset({EVERYONE}), frozenset({"eu"}))},
    ],
)
def test_options_open_nothing_that_is_stored_unless_they_may(
    before: dict[str, Any], said: dict[str, Any]
) -> None:
    writer = MemoryWriter()
    run({"a.md": "x"}, writer, **before)
    closed = rule(writer, "a.md")
    with suppress(NotAuthorized):
        run({"a.md": "x", "new.md": "x"}, writer, **said, may_open=False)
    assert rule(writer, "a.md").is_within(closed)
    assert "new.md" not in writer.access.by_path or rule(writer, "new.md").is_within(closed)


@pytest.mark.requirement(73)
@pytest.mark.parametrize(
    "said",
    [
        AccessRule("local", frozenset({"staff"}), frozenset({"eu"})),
        AccessRule("local", frozenset({"staff"}), frozenset(), 1),
    ],
    ids=["another level", "another label"],
)
def test_options_take_no_label_and_no_level_away_unless_they_may(said: AccessRule) -> None:
    writer = MemoryWriter()
    before = AccessRule("local", frozenset({"staff"}), frozenset({"eu"}), 1)
    run({"a.md": "x"}, writer, rule_for=lambda _: before)
    with pytest.raises(NotAuthorized):
        run({"a.md": "x"}, writer, rule_for=lambda _: said, may_open=False)
    assert rule(writer, "a.md") == before
    run({"a.md": "x"}, writer, rule_for=lambda _: said)
    assert rule(writer, "a.md") == said


@pytest.mark.requirement(73)
def test_options_state_nothing_of_paths_that_the_ingest_does_not_contain() -> None:
    writer = MemoryWriter()
    run({"a.md": "x", "b.md": "y"}, writer, rule_for=lambda _: STAFF)
    run({"a.md": "x"}, writer, rule_for=lambda _: OPEN)
    assert (rule(writer, "a.md"), rule(writer, "b.md")) == (OPEN, STAFF)
    run({"a.md": "x", "b.md": "y"}, writer, may_open=False)
    assert rule(writer, "b.md") == STAFF


@pytest.mark.requirement(73)
def test_a_file_s_own_statements_open_what_the_ingest_contains() -> None:
    writer = MemoryWriter()
    run({"access.yaml": '- {path: "**", readers: staff}\n', "a.md": "x"}, writer)
    open_to_all = '- {path: "**", readers: everyone}\n'
    run({"access.yaml": open_to_all, "a.md": "x"}, writer, may_open=False)
    assert rule(writer, "a.md") == OPEN


@pytest.mark.requirement(73)
@pytest.mark.parametrize("files", [{"a.md": STAFF_ONLY}, {"access.yaml": YAML, "a.md": "x"}])
def test_options_do_not_widen_the_default_of_new_paths_unless_they_may(
    files: dict[str, str],
) -> None:
    def default() -> AccessRule:
        return intersect_rules("local", writer.access.default_statements() or ())

    writer = MemoryWriter()
    run(files, writer)
    run(files, writer, rule_for=lambda _: OPEN, may_open=False)
    assert default() == NOBODY
    run(files, writer, rule_for=lambda _: OPEN)
    assert default() == OPEN
    run(files, writer, rule_for=lambda _: STAFF, may_open=False)
    assert default() == STAFF
