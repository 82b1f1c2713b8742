"""Processes of git's: each in a group of its own, and none outlives docgraph."""

import atexit
import os
import signal
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

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
