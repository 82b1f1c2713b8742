"""Runs the git program so that it executes nothing that a repository configures."""

import atexit
import os
import shutil
import signal
import subprocess
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import check_cancelled, on_cancel

# Each process has a process group of its own, and none outlives docgraph.
_RUNNING: "weakref.WeakSet[subprocess.Popen[bytes]]" = weakref.WeakSet()
_LOCK = threading.Lock()


def start_process(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdin: int,
    stderr: int | IO[bytes],
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(  # noqa: S603  the program is git, and no shell reads the arguments
        command,
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        process_group=0,
    )
    with _LOCK:
        _RUNNING.add(process)
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills the whole process group, since `git` may be a script; from any thread."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)


@atexit.register
def _kill_all() -> None:
    """At exit, so that no thread blocks on one of them."""
    with _LOCK:
        running = tuple(_RUNNING)
    for process in running:
        kill(process)


TIMEOUT = 30.0  # seconds, of a short command

# A repository is untrusted: its configuration, hooks and remotes must start no program.
_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",  # a blob's id must name its own bytes
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.multiPackIndex=false"),  # names packs by paths, which may be outside
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=all"),  # the user named the path
)
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """`errors` is empty if and only if the command succeeded."""

    output: bytes
    errors: str

    @property
    def line(self) -> str:
        return self.output.decode("utf-8", "surrogateescape").removesuffix("\n")


class Git:
    """git in a folder; with `git_dir` on exactly that repository, with `common_dir` on both.

    Paths are literal, but for the commands that know no literal ones, such as check-ignore.
    """

    def __init__(
        self,
        folder: Path,
        git_dir: Path | None = None,
        common_dir: Path | None = None,
        *,
        literal: bool = True,
    ) -> None:
        self._folder = folder
        where = () if git_dir is None else ("--git-dir", str(git_dir))
        paths = ("--literal-pathspecs",) if literal else ()
        self._command = (_program(), *_OPTIONS, *paths, *where)
        self._common = {} if common_dir is None else {"GIT_COMMON_DIR": str(common_dir)}

    def run(self, *arguments: str) -> Reply:
        """A short command."""
        with self.running(*arguments, stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                message = f"git did not answer within {TIMEOUT:g} seconds"
                raise BadInput(f"{self._folder}: {message}") from None
            check_cancelled()  # the output may be incomplete
        return Reply(output, error_message(process, errors) if process.returncode else "")

    @contextmanager
    def running(
        self, *arguments: str, stderr: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Killed at the end of the block or on cancellation; the caller waits for it."""
        with self.start(*arguments, stdin=subprocess.DEVNULL, stderr=stderr) as process:
            try:
                with on_cancel(partial(kill, process)):
                    yield process
            finally:
                kill(process)

    def start(
        self, *arguments: str, stdin: int, stderr: int | IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """The caller ends it."""
        return start_process(
            [*self._command, *arguments],
            folder=self._folder,
            environment=_environment(os.environ) | self._common,
            stdin=stdin,
            stderr=stderr,
        )


def error_message(process: subprocess.Popen[bytes], errors: bytes) -> str:
    """In one line."""
    lines = errors.decode("utf-8", "replace").split("\n")
    message = " ".join(filter(None, map(str.strip, lines)))
    return message or f"git ended with exit code {process.returncode}"


def _program() -> str:
    path = shutil.which("git")
    if path is None:
        raise BadInput("reading a git repository needs the git program, and PATH leads to none")
    return str(Path(path).absolute())


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Without variables that point git to another repository, as hooks have them."""
    own = {
        name: value
        for name, value in given.items()
        if not name.startswith("GIT_") or name == "GIT_CONFIG_GLOBAL"  # has safe.directory
    }
    return own | _VARIABLES
