"""A git process that hangs: short commands have a timeout, and cancelled ones are killed."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from docgraph.adapters.sources import git_process
from docgraph.adapters.sources.git import GitSource
from docgraph.model.errors import BadInput, GivenUp
from docgraph.ports.cancellation import Deadline, deadline_scope
from tests.support.git_repository import GitRepository
from tests.support.git_sources import read_files

LONG = 60


@pytest.fixture
def notes(made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git that hangs in a child of its own where HANGS says, and notes that child's id."""
    made.commit({"a.md": "a"})
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in $HANGS) sleep {LONG} & echo $! >> {tmp_path}/notes; wait;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return tmp_path / "notes"


def is_running(number: str) -> bool:
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", number], capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


def none_runs(notes: Path) -> bool:
    return until(lambda: not any(map(is_running, notes.read_text().split())))


def until(true: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


@pytest.fixture
def leaving(notes: Path) -> Iterator[Deadline]:
    """One who leaves as soon as git hangs."""
    waiting = Deadline()

    def leave() -> None:
        until(notes.exists)
        waiting.cancel()

    thread = threading.Thread(target=leave)
    thread.start()
    yield waiting
    thread.join()


@pytest.mark.parametrize("question", ["absolute-git-dir", "show-prefix", "for-each-ref", "verify"])
def test_a_short_command_has_a_timeout(
    made: GitRepository, notes: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setenv("HANGS", f"*{question}*")
    monkeypatch.setattr(git_process, "TIMEOUT", 0.5)
    with pytest.raises(BadInput, match=r"git did not answer within 0.5 seconds"):
        GitSource(made.folder, "main")
    assert none_runs(notes)


@pytest.mark.parametrize("question", ["rev-parse", "ls-tree", "cat-file"])
def test_git_is_killed_on_cancellation(
    made: GitRepository,
    notes: Path,
    leaving: Deadline,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
) -> None:
    monkeypatch.setenv("HANGS", f"*{question}*")
    begun = time.monotonic()
    with (
        pytest.raises(GivenUp, match="the client has disconnected"),
        deadline_scope(leaving),
        GitSource(made.folder, "main") as source,
    ):
        read_files(source)
    assert time.monotonic() - begun < LONG / 2
    assert none_runs(notes)


def test_a_listing_that_hangs_is_killed_on_cancellation(
    made: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only when it writes its next line."""
    made.commit({f"{number}.md": "x" for number in range(2000)})
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    real = shutil.which("git")
    hang = f'{real} "$@"; sleep {LONG}'
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *cat-file*|*rev-parse*|*for-each-ref*) exec {real} "$@";; esac\n'
        f"if [ -e {tmp_path}/once ]; then {hang}; else touch {tmp_path}/once; "
        f'exec {real} "$@"; fi\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    begun = time.monotonic()
    with GitSource(made.folder, "main") as source:
        files = source.files()
        assert isinstance(files, Generator)
        next(files)
        files.close()
    assert time.monotonic() - begun < LONG / 2


def test_no_git_process_outlives_docgraph(
    made: GitRepository, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a thread still waits for it."""
    monkeypatch.setenv("HANGS", "*rev-parse*")
    script = (
        "import sys, threading, time\n"
        "from pathlib import Path\n"
        "from docgraph.adapters.sources.git import GitSource\n"
        "work = lambda: GitSource(Path(sys.argv[1]), 'main')\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.01)\n"
    )
    command = [sys.executable, "-c", script, str(made.folder), str(notes)]
    subprocess.run(command, check=True, timeout=LONG, stderr=subprocess.DEVNULL)
    assert none_runs(notes)
