"""The git program, kept from running anything that a repository configures."""

import atexit
import os
import re
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

# Processes of git's: each in a group of its own, and none outlives docgraph.


_BEGUN: "weakref.WeakSet[subprocess.Popen[bytes]]" = weakref.WeakSet()
_LOCK = threading.Lock()


def begin(
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
        _BEGUN.add(process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """With all that it has started, where a script stands in for git; from any thread."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):  # has ended by itself just now
            os.killpg(process.pid, signal.SIGKILL)


@atexit.register
def _end_all() -> None:
    """A thread that waits for one of them may not be waited for itself."""
    with _LOCK:
        begun = tuple(_BEGUN)
    for process in begun:
        end(process)


LONGEST_ANSWER = 30.0  # seconds, to a short question

# A repository is a stranger's: its configuration, its hooks and its remotes must start nothing.
_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",  # a blob's id must name its own bytes
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.multiPackIndex=false"),  # names packs by paths, and they may lead out
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=all"),  # a path that was named is no chance find
)
_SURROUNDINGS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What git said; `errors` is empty when it did as it was asked, and never otherwise."""

    output: bytes
    errors: str

    @property
    def line(self) -> str:
        return self.output.decode("utf-8", "surrogateescape").removesuffix("\n")


class Git:
    """git in a folder; with `git_dir` on exactly that repository, with `common_dir` on both."""

    def __init__(
        self, folder: Path, git_dir: Path | None = None, common_dir: Path | None = None
    ) -> None:
        self._folder = folder
        where = () if git_dir is None else ("--git-dir", str(git_dir))
        self._command = (_program(), *_OPTIONS, *where)
        self._common = {} if common_dir is None else {"GIT_COMMON_DIR": str(common_dir)}

    def ask(self, *arguments: str) -> Reply:
        """A short question."""
        with self.running(*arguments, stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=LONGEST_ANSWER)
            except subprocess.TimeoutExpired:
                late = f"git did not answer within {LONGEST_ANSWER:g} seconds"
                raise BadInput(f"{self._folder}: {late}") from None
            check_cancelled()  # an answer that was cut short is none
        return Reply(output, last_words(process, errors) if process.returncode else "")

    @contextmanager
    def running(
        self, *arguments: str, stderr: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Ended when it is left, or when nobody waits any more; whoever reads it waits for it."""
        with self.start(*arguments, stdin=subprocess.DEVNULL, stderr=stderr) as process:
            try:
                with on_cancel(partial(end, process)):
                    yield process
            finally:
                end(process)

    def start(
        self, *arguments: str, stdin: int, stderr: int | IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """To be ended by whoever starts it."""
        return begin(
            [*self._command, *arguments],
            folder=self._folder,
            environment=_environment(os.environ) | self._common,
            stdin=stdin,
            stderr=stderr,
        )


def last_words(process: subprocess.Popen[bytes], errors: bytes) -> str:
    """In one line, as every error of docgraph's is."""
    told = re.sub(r"\s*\n\s*", " ", errors.decode("utf-8", "replace").strip())
    return told or f"git ended with exit code {process.returncode}"


def _program() -> str:
    found = shutil.which("git")
    if found is None:
        raise BadInput("reading a git repository needs the git program, and PATH leads to none")
    return str(Path(found).absolute())


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Without what points git elsewhere, as the variables do that a hook is started with."""
    kept = {
        name: value
        for name, value in given.items()
        if not name.startswith("GIT_") or name == "GIT_CONFIG_GLOBAL"  # whom its user trusts
    }
    return kept | _SURROUNDINGS
