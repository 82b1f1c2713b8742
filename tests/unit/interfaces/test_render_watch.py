"""What a watcher prints: one line for a snapshot, no control characters, JSON in lines."""

import json

import pytest

from docgraph.ingest.result import IngestResult, Renamed
from docgraph.interfaces.cli.render_watch import WatchPrinter
from docgraph.interfaces.watch.events import WatchEvent
from docgraph.model.access import AccessChanges
from docgraph.model.embedding_state import NOTHING_TO_EMBED
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.source import SourceProblem

HOSTILE = "\x1b]0;owned\x07\u202e"
ESCAPED = "\\x1b]0;owned\\x07\\u202e"


def result(number: int | None) -> IngestResult:
    return IngestResult(
        None if number is None else SnapshotName(HOSTILE, "main", number),
        added=1,
        changed=2,
        removed=3,
        unchanged=4,
        renamed=(Renamed("a", "b"),),
        nodes=0,
        chunks=0,
        vectors=0,
        references=(),
        missing=0,
        unresolved=(),
        unresolved_calls=0,
        problems=(),
        remarks=(),
        skipped=(),
        access=AccessChanges(wider=1, wider_readers=("everyone",)),
        embeddings=NOTHING_TO_EMBED,
    )


PUBLISHED = WatchEvent("published", "notes", HOSTILE, "main", 0.25, result(7))
UNCHANGED = WatchEvent("unchanged", "notes", HOSTILE, "main", 0.01, result(None))
PROBLEM = WatchEvent(
    "unchanged", "notes", "r", "main", 0.01, result(None), (SourceProblem(HOSTILE, "odd"),)
)
FAILED = WatchEvent("failed", HOSTILE, "r", kind="StoreBusy", message="busy")


def test_a_snapshot_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    WatchPrinter(json=False, quiet=False).show(PUBLISHED)
    assert capsys.readouterr().out == (
        f"snapshot 7 of {ESCAPED} main: documents added 1 (1 of them renamed), changed 2, removed "
        "3, unchanged 4, in 0.25 s; access: 1 document wider (everyone)\n"
    )


def test_that_nothing_has_changed_is_said_once_for_each_branch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = WatchPrinter(json=False, quiet=False)
    other = WatchEvent("unchanged", "notes", "r", "feature", 0.01, result(None))
    for event in (UNCHANGED, UNCHANGED, other, UNCHANGED):
        printer.show(event)
    assert capsys.readouterr().out == (
        f"{ESCAPED} main is current: documents 4\nr feature is current: documents 4\n"
    )


def test_quiet_prints_errors_and_unusable_files_alone(capsys: pytest.CaptureFixture[str]) -> None:
    printer = WatchPrinter(json=False, quiet=True)
    printer.begin(1)
    for event in (PUBLISHED, PROBLEM, FAILED, WatchEvent("gone", "notes", "r")):
        printer.show(event)
    printer.end()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        f"not used: {ESCAPED}: odd\n"
        f"docgraph: {ESCAPED}: busy; trying again\n"
        "docgraph: notes is gone; waiting for it\n"
    )


def test_json_is_one_object_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    printer = WatchPrinter(json=True, quiet=False)
    printer.begin(2)
    printer.show(PUBLISHED)
    printer.show(FAILED)
    printer.end()
    lines = capsys.readouterr().out.splitlines()
    assert "\x1b" not in "".join(lines)
    found = [json.loads(line) for line in lines]
    assert [one["event"] for one in found] == ["watching", "published", "failed", "stopped"]
    assert found[1]["repository"] == HOSTILE
    assert found[1]["result"]["snapshot"]["snapshot"] == 7
