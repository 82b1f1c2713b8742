"""--help imports little, and every command has it."""

import subprocess
import sys
from typing import Any

import pytest
import typer.main

from docgraph.interfaces.cli.app import app
from tests.acceptance.conftest import Run

# With what typer imports. Anything else is imported by the commands that need it.
LIBRARIES = frozenset({"annotated_doc", "shellingham", "typer"})
MAX_MODULES = 200  # numpy alone has more than a hundred
HELP = """
import sys
from docgraph.interfaces.cli.main import main
sys.argv = ["docgraph", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def imported_modules(script: str) -> frozenset[str]:
    """The names that Python has imported when the script ends."""
    script += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return frozenset(done.stderr.split())


def test_help_imports_few_modules_and_no_library_but_typer() -> None:
    """Imports are nearly all that it does, so this decides how long it takes."""
    imported = imported_modules(HELP) - imported_modules("")
    assert "docgraph.interfaces.cli.app" in imported
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    assert packages - LIBRARIES == {"docgraph"}
    assert len(imported) < MAX_MODULES


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
