"""One process of `docgraph` with its imports loaded, for the commands of one test process."""

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

WARM = Path(__file__).with_name("warm_docgraph.py")


@cache
def warm_program() -> str:
    """A program like `docgraph`; what it does, a process of its own does, with its environment."""
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
    return str(Path(folder.name) / "docgraph")
