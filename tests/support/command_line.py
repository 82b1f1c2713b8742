"""The command line in this process: what a command prints, and how it ends."""

import contextlib
import gc
import io
import sys
from pathlib import Path

import pytest

from docgraph.interfaces.cli import main as command_line


def run_command(folder: Path, *words: str) -> tuple[int, str, str]:
    """In this folder: the exit code, standard output and standard error."""
    output, errors, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setattr(command_line, "begin_to_load", lambda _: None)
        patch.setattr(sys, "argv", ["docgraph", *words])
        patch.setattr(sys.modules["__main__"], "__package__", None)  # help names the program
        patch.setattr(gc, "freeze", lambda: None)  # a process of its own would end here
        patch.setenv("COLUMNS", "100")
        patch.chdir(folder)
        try:
            with contextlib.redirect_stderr(errors):
                command_line.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return code, output.getvalue(), errors.getvalue()
