"""Every area of golden values: its name, which is also its file, and how it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.golden import engine_values
from tests.golden.history import History, run_history
from tests.golden.installation import Installation
from tests.golden.values import readable


@dataclass(frozen=True, slots=True)
class Built:
    """An installation after the golden history."""

    installation: Installation
    history: History


def build(installation: Installation) -> Built:
    return Built(installation, run_history(installation))


ENGINE: Mapping[str, Callable[[Built], Any]] = {
    "audit": lambda built: readable({"log": built.history.audit, "anchor": built.history.anchor}),
    "retrievals": lambda built: engine_values.full_retrievals(built.installation),
    "matrix": lambda built: engine_values.retrieval_matrix(built.installation),
    "graph": lambda built: engine_values.graph(built.installation),
    "snapshots": lambda built: engine_values.snapshots(built.installation, built.history.results),
    "access": lambda built: engine_values.access(built.installation),
    "reasons": lambda built: engine_values.reasons(built.installation),
}
WORLDS = (1, 2, 3)  # seeds of the interference machine's worlds
