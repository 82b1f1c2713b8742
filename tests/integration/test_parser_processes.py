"""A parser that misbehaves costs one file, reported by name; the ingest and the server go on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgraph.wiring.plugins import FORMATS, MINERS
from tests.support.distributions import write_distribution
from tests.support.http_server import DOCGRAPH

# A file's text says how its parser, or its miner, misbehaves.
CODE = """
import ctypes, os, subprocess, sys, time
from docgraph.ingest.formats.registry import Format, text_reader
from docgraph.ingest.formats.text import parse_text
from docgraph.ingest.miners.registry import Miner

def recurse():
    return recurse()

def misbehave(word):
    if word == "allocate":
        held = []
        while True:
            held.append(bytearray(2**24))
    elif word == "loop":
        while True:
            pass
    elif word == "sleep":
        time.sleep(3600)
    elif word == "exit":
        os._exit(3)
    elif word == "leave":
        sys.exit(4)
    elif word == "segfault":
        ctypes.string_at(0)
    elif word == "raise":
        raise ValueError("no such thing")
    elif word == "recurse":
        recurse()
    elif word == "print":
        print("x" * 100_000)
        os.write(1, b"y" * 100_000)
        sys.stdin.read()
    elif word == "start":
        subprocess.Popen(["sleep", "3599"])

def read(path, text):
    words = text.split()
    misbehave(words[0])
    return parse_text(path, text)

def mine(view):
    words = view.parsed.text.split()
    if words[0] == "mined":
        misbehave(words[1])
    return iter(())

ODD = Format("odd", (".odd",), text_reader(read))
ODD_MINER = Miner("odd", ("references",), mine)
"""
REASONS = {
    "allocate": "parser exceeded 512 MiB",
    "exit": "parser crashed: exit code 3",
    "loop": "parser exceeded 1 s of CPU time",
    "segfault": "parser crashed: signal 11",
    "sleep": "parser waited for 1 s without using the CPU",
}
PARSING = "parsing: {workers: 2, memory_mib: 512, cpu_seconds: 1}\n"
SETTINGS = f"plugins: [pl-odd]\n{PARSING}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "packages").mkdir()
    entries = {FORMATS: {"odd": "ODD"}, MINERS: {"odd": "ODD_MINER"}}
    write_distribution(tmp_path / "packages", "pl-odd", CODE, entries)
    (tmp_path / "docgraph.yaml").write_text(SETTINGS)
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(5):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nThe tide turned.\n")
    return tmp_path


def environment(place: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(place / "packages")}


def ingest(place: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [*DOCGRAPH, "ingest", "notes", "--store", "s.db", "--json", *words],
        cwd=place,
        env=environment(place),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def reasons(result: dict[str, Any]) -> dict[str, str]:
    return {one["path"]: one["reason"] for one in result["problems"]}


def test_a_parser_that_misbehaves_costs_its_file_alone(place: Path) -> None:
    for word in (*REASONS, "raise", "recurse", "leave"):
        (place / "notes" / f"{word}.odd").write_text(word)
    result = ingest(place)
    assert result["added"] == 5
    assert reasons(result) == {
        **{f"{word}.odd": reason for word, reason in REASONS.items()},
        "leave.odd": "the plug-in format 'odd' failed: SystemExit: 4",
        "raise.odd": "the plug-in format 'odd' failed: ValueError: no such thing",
        "recurse.odd": "nested too deeply to be read",
    }


def test_a_miner_that_misbehaves_costs_its_file_alone(place: Path) -> None:
    for word in (*REASONS, "raise", "recurse", "leave"):
        (place / "notes" / f"{word}.txt").write_text(f"mined {word}")
    result = ingest(place)
    assert result["added"] == 5
    assert reasons(result) == {
        **{f"{word}.txt": reason for word, reason in REASONS.items()},
        "leave.txt": "the plug-in miner 'odd' failed: SystemExit: 4",
        "raise.txt": "the plug-in miner 'odd' failed: ValueError: no such thing",
        "recurse.txt": "nested too deeply to be read",
    }


def test_what_a_parser_prints_does_not_reach_the_output_of_a_command(place: Path) -> None:
    (place / "notes" / "print.odd").write_text("print")
    result = ingest(place)
    assert (result["added"], result["problems"]) == (6, [])


def test_a_document_whose_file_can_no_longer_be_parsed_leaves_the_snapshot(place: Path) -> None:
    file = place / "notes" / "a.odd"
    file.write_text("fine")
    assert ingest(place)["added"] == 6
    file.write_text("segfault")
    result = ingest(place)
    assert (result["removed"], reasons(result)) == (1, {"a.odd": REASONS["segfault"]})
    file.write_text("fine")
    assert ingest(place)["added"] == 1


@pytest.mark.parametrize("bad", [False, True])
def test_the_number_of_workers_changes_nothing(place: Path, bad: bool) -> None:
    for number in range(120):
        text = f"# Page {number}\n\nSee [next]({number + 1}.md) and `fetch_node`.\n" * 20
        (place / "notes" / f"page{number:03}.md").write_text(text)
        if bad and number % 40 == 0:
            (place / "notes" / f"page{number:03}.odd").write_text("exit")
    results, digests = [], []
    for workers in (1, 2, 4):
        settings = SETTINGS.replace("workers: 2", f"workers: {workers}")
        (place / "docgraph.yaml").write_text(settings)
        (place / "s.db").unlink(missing_ok=True)
        results.append(ingest(place))
        done = subprocess.run(
            [*DOCGRAPH, "verify", "--store", "s.db", "--json"],
            cwd=place,
            env=environment(place),
            capture_output=True,
            check=True,
        )
        digests.append(json.loads(done.stdout)["digest"])
    assert len(results[0]["problems"]) == 3 * bad
    assert results[0] == results[1] == results[2]
    assert digests[0] == digests[1] == digests[2]


def workers_of(place: Path) -> list[int]:
    """The processes that this test's plug-in folder is named to, other than the command itself."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        is_worker = any(b"ingest.workers.worker" in word for word in words)
        if entry.name.isdigit() and is_worker and str(place / "packages").encode() in words:
            found.append(int(entry.name))
    return found


def wait_for(place: Path, *, any_worker: bool) -> None:
    until = time.monotonic() + 60
    while bool(workers_of(place)) is not any_worker:
        assert time.monotonic() < until, workers_of(place)
        time.sleep(0.05)


@pytest.fixture
def looping(place: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """An ingest whose parser does not end by itself."""
    (place / "docgraph.yaml").write_text(SETTINGS.replace("cpu_seconds: 1", "cpu_seconds: 3600"))
    (place / "notes" / "a.odd").write_text("loop")
    command = [*DOCGRAPH, "ingest", "notes", "--store", "s.db", "--quiet"]
    with subprocess.Popen(
        command, cwd=place, env=environment(place), stderr=subprocess.DEVNULL
    ) as process:
        yield process
        process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(
    place: Path, looping: "subprocess.Popen[bytes]", sign: signal.Signals
) -> None:
    wait_for(place, any_worker=True)
    time.sleep(1)  # into the loop
    looping.send_signal(sign)
    looping.wait(60)
    wait_for(place, any_worker=False)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_a_parser_has_started_ends_with_it(place: Path) -> None:
    (place / "notes" / "a.odd").write_text("start")
    assert ingest(place)["added"] == 6  # would wait for the standard error that `sleep` holds
    assert not workers_of(place)
