"""What ingests report while they work: on a terminal, without one, for programs, or nothing."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")
SEQUENCE = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def notes(elsewhere: Path) -> Path:
    folder = elsewhere / "notes"
    folder.mkdir()
    for name in ("queue", "retry", "upload"):
        (folder / f"{name}.md").write_text(f"# The {name}\n\nIt is described here.\n")
    return folder


@pytest.mark.requirement(57)
def test_without_a_terminal_each_phase_is_a_line_on_standard_error(
    docgraph: Run, notes: Path
) -> None:
    done = docgraph("ingest", str(notes), *STORE)
    lines = done.stderr.splitlines()
    assert lines[:3] == [
        "progress: listing",
        "progress: reading: 0 of 3 files",
        "progress: relations: 0 of 3 texts",
    ]
    assert all(line.startswith("progress: ") and line.isprintable() for line in lines)
    assert done.stdout.startswith("snapshot 1 of notes main")


@pytest.mark.requirement(57)
@pytest.mark.parametrize("command", ["ingest", "import"])
def test_with_json_the_result_is_one_document_and_progress_is_events_beside_it(
    docgraph: Run, notes: Path, command: str
) -> None:
    rows = [{"_id": path.stem, "text": path.read_text()} for path in notes.iterdir()]
    (notes / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = docgraph(command, "notes", "--repository", "notes", *STORE, "--json")
    result = data(done)
    (ingested,) = result["imported"] if command == "import" else (result,)
    assert ingested["added"] == 3
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert {event["event"] for event in events} <= {"progress", "askable"}
    last = {event["phase"]: event for event in events if event["event"] == "progress"}
    assert {"listing", "reading", "relations"} <= set(last)
    assert (last["reading"]["done"], last["reading"]["total"]) == (3, 3)
    assert last["reading"]["chunks"] == ingested["chunks"]


@pytest.mark.requirement(57)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_quiet_reports_nothing(docgraph: Run, notes: Path, options: tuple[str, ...]) -> None:
    done = docgraph("ingest", str(notes), *STORE, "--quiet", *options)
    assert done.exit_code == 0
    assert done.stderr == ""


@pytest.mark.requirement(57)
def test_on_a_terminal_a_display_is_the_first_that_is_shown_and_vanishes(notes: Path) -> None:
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-m", "docgraph.interfaces.cli.main", "ingest", "notes", *STORE]
    with subprocess.Popen(
        command, cwd=notes.parent, stdin=side, stdout=side, stderr=side, env=environment
    ) as process:
        os.close(side)
        shown = read_all(main)
    assert process.returncode == 0, ascii(shown)
    before, _, after = shown.partition("snapshot 1 of notes main:")
    assert SEQUENCE.sub("", before).startswith("starting")
    assert before.endswith("\x1b[2K")  # the line of the display is erased
    assert after.startswith(" documents added 3")
    assert "progress: " not in shown


def read_all(terminal: int) -> str:
    read = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side has closed
            break
        if not part:
            break
        read += part
    os.close(terminal)
    return read.decode()
