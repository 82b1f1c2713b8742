"""Every area of golden values: its name, which is also its file, and how it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.golden import cli_values, engine_values, server_values
from tests.golden.history import History, run_history
from tests.golden.installation import Installation
from tests.golden.values import readable

WORLDS = (1, 2)  # seeds of the interference machine's worlds


@dataclass(frozen=True, slots=True)
class BuiltStore:
    """An installation after the golden history."""

    installation: Installation
    history: History


def build(installation: Installation) -> BuiltStore:
    return BuiltStore(installation, run_history(installation))


ENGINE: Mapping[str, Callable[[BuiltStore], Any]] = {
    "audit": lambda built: readable({"log": built.history.audit, "anchor": built.history.anchor}),
    "retrievals": lambda built: engine_values.full_retrievals(built.installation),
    "matrix": lambda built: engine_values.retrieval_matrix(built.installation),
    "graph": lambda built: engine_values.graph(built.installation),
    "snapshots": lambda built: engine_values.snapshots(built.installation, built.history.results),
    "access": lambda built: engine_values.access(built.installation),
    "reasons": lambda built: engine_values.reasons(built.installation),
}
# Each gives one area or two, made in an empty folder or on a SQLite store after the history.
INTERFACES: Mapping[str, Callable[[Path, BuiltStore, Path], Mapping[str, Any]]] = {
    "cli": lambda folder, _, __: cli_values.commands_and_errors(folder),
    "help": lambda folder, _, __: {"help.txt": cli_values.help_text(folder)},
    "http": lambda folder, _, __: {"http": server_values.http(folder)},
    "openapi": lambda folder, _, __: {"openapi": server_values.openapi(folder)},
    "mcp": lambda _, built, __: server_values.mcp(built.installation.engine),
    "python": lambda _, __, store: {"python": server_values.python(store)},
    "frameworks": lambda _, __, store: {"frameworks": server_values.frameworks(store)},
}
