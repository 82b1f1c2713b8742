"""--help is fast, and every command has it."""

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


def measure_seconds(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def test_help_takes_at_most_ten_times_the_time_of_an_empty_python() -> None:
    """The minima of interleaved runs are compared, so that other load does not matter."""
    empty, help_ = list[float](), list[float]()
    while len(help_) < 30 and (not help_ or min(help_) > 10 * min(empty)):
        empty.append(measure_seconds(sys.executable, "-c", ""))
        help_.append(measure_seconds(DOCGRAPH, "--help"))
    assert min(help_) <= 10 * min(empty)


def commands(found: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all commands; a group is a command that has commands."""
    inner = getattr(found, "commands", {})
    below = [p for name, command in inner.items() for p in commands(command, (*path, name))]
    return below if inner else [path]


COMMANDS = commands(typer.main.get_command(app))


def test_commands_of_groups_are_listed() -> None:
    assert ("relations", "add") in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_a_json_option(docgraph: Run, path: tuple[str, ...]) -> None:
    shown = docgraph(*path, "--help")
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert "--store" in shown.output
