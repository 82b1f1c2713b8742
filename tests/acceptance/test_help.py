"""Help comes at once, and every command has one."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer.main

from docgraph.interfaces.cli.app import app
from tests.acceptance.conftest import Run

DOCGRAPH = str(Path(sys.executable).with_name("docgraph"))


def took(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def test_help_takes_at_most_ten_times_the_time_of_an_empty_python() -> None:
    """The quickest of interleaved tries each, so that a busy machine does not decide."""
    empty, help_ = list[float](), list[float]()
    while len(help_) < 30 and (not help_ or min(help_) > 10 * min(empty)):
        empty.append(took(sys.executable, "-c", ""))
        help_.append(took(DOCGRAPH, "--help"))
    assert min(help_) <= 10 * min(empty)


def commands(found: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all commands; a group is a command that has commands."""
    inner = getattr(found, "commands", {})
    below = [p for name, command in inner.items() for p in commands(command, (*path, name))]
    return below if inner else [path]


COMMANDS = commands(typer.main.get_command(app))


def test_there_are_commands() -> None:
    assert ("relations", "add") in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_and_speaks_json(
    docgraph: Run, path: tuple[str, ...]
) -> None:
    shown = docgraph(*path, "--help")
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert "--store" in shown.output
