"""One process of `docgraph` with its imports loaded, for the commands of one test process."""

import atexit
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

WARM = Path(__file__).with_name("warm_docgraph.py")


def run_warm(folder: Path, words: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """Standard output of a command that works, which runs in a process of its own."""
    command = [str(_program()), *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


@cache
def _program() -> Path:
    folder = tempfile.TemporaryDirectory(dir="/tmp")  # a socket's path may not be long
    process = subprocess.Popen(
        [sys.executable, WARM, folder.name],
        cwd=folder.name,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"

    def end() -> None:
        with folder, process:
            process.communicate()

    atexit.register(end)
    return Path(folder.name) / "docgraph"
