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
from docgraph.model.errors import BadInput, Cancelled
from docgraph.ports.cancellation import Deadline, deadline_scope
from tests.support.git_repository import GitRepository
from tests.support.git_sources import read_files

HANG_SECONDS = 120  # git that hangs is killed long before
WAIT_SECONDS = 60  # for what should come soon


@pytest.fixture
def process_ids(repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git program that hangs on commands that match HANGS; the file gets its process ids.

    If it is not killed it answers late, and a file `late` appears beside that one.
    """
    repository.commit({"a.md": "a"})
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in $HANGS) sleep {HANG_SECONDS} & echo $! >> {tmp_path}/ids; wait; '
        f"touch {tmp_path}/late;; esac\n"
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return tmp_path / "ids"


def is_running(number: str) -> bool:
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", number], capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


def no_process_runs(process_ids: Path) -> bool:
    return wait_until(lambda: not any(map(is_running, process_ids.read_text().split())))


def wait_until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WAIT_SECONDS
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


@pytest.fixture
def cancelled_deadline(process_ids: Path) -> Iterator[Deadline]:
    """A deadline that is cancelled as soon as git hangs."""
    deadline = Deadline()

    def cancel() -> None:
        wait_until(process_ids.exists)
        deadline.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    yield deadline
    thread.join()


@pytest.mark.parametrize("command", ["absolute-git-dir", "show-prefix", "for-each-ref", "verify"])
def test_a_short_command_has_a_timeout(
    repository: GitRepository, process_ids: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("HANGS", f"*{command}*")
    monkeypatch.setattr(git_process, "TIMEOUT", 0.5)
    with pytest.raises(BadInput, match=r"git did not answer within 0.5 seconds"):
        GitSource(repository.folder, "main")
    assert no_process_runs(process_ids)


@pytest.mark.parametrize("command", ["rev-parse", "ls-tree", "cat-file"])
def test_git_is_killed_on_cancellation(
    repository: GitRepository,
    process_ids: Path,
    cancelled_deadline: Deadline,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    monkeypatch.setenv("HANGS", f"*{command}*")
    with (
        pytest.raises(Cancelled, match="the client has disconnected"),
        deadline_scope(cancelled_deadline),
        GitSource(repository.folder, "main") as source,
    ):
        read_files(source)
    assert not process_ids.with_name("late").exists()
    assert no_process_runs(process_ids)


def test_a_listing_that_hangs_is_killed_on_cancellation(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even before it writes its next line."""
    repository.commit({f"{number}.md": "x" for number in range(2000)})
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    real = shutil.which("git")
    hang = f'{real} "$@"; sleep {HANG_SECONDS}; touch {tmp_path}/late'
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *cat-file*|*rev-parse*|*for-each-ref*) exec {real} "$@";; esac\n'
        f"if [ -e {tmp_path}/once ]; then {hang}; else touch {tmp_path}/once; "
        f'exec {real} "$@"; fi\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with GitSource(repository.folder, "main") as source:
        files = source.files()
        assert isinstance(files, Generator)
        next(files)
        files.close()
    assert not (tmp_path / "late").exists()


def test_no_git_process_outlives_docgraph(
    repository: GitRepository, process_ids: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if a thread still waits for it."""
    monkeypatch.setenv("HANGS", "*rev-parse*")
    script = (
        "import sys, threading, time\n"
        "from pathlib import Path\n"
        "from docgraph.adapters.sources.git import GitSource\n"
        "work = lambda: GitSource(Path(sys.argv[1]), 'main')\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.01)\n"
    )
    command = [sys.executable, "-c", script, str(repository.folder), str(process_ids)]
    subprocess.run(command, check=True, timeout=HANG_SECONDS, stderr=subprocess.DEVNULL)
    assert no_process_runs(process_ids)
