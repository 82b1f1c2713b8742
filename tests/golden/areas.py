"""Every area of golden values: its name, which is also its file, and how it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_from_json, receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import plan_from_json
from tests.golden import cli_values, engine_values, server_values
from tests.golden.engine_values import RETRY
from tests.golden.history import PARCEL, History, run_history
from tests.golden.installation import Installation
from tests.golden.values import expected, readable

PLAN, RECEIPT = "before/plan.txt", "before/receipt.txt"  # as texts: they are read as users' files
WORLDS = (1, 2)  # seeds of the interference machine's worlds


@dataclass(frozen=True, slots=True)
class BuiltStore:
    """An installation after the golden history."""

    installation: Installation
    history: History


def build(installation: Installation) -> BuiltStore:
    return BuiltStore(installation, run_history(installation))


def plan_and_receipt(built: BuiltStore) -> Mapping[str, str]:
    """Texts as a user would have saved them; written once, and then only read."""
    result = built.installation.engine.questions.ask(
        QuestionRequest(local(), load("documents"), RETRY, scope=(PARCEL,))
    )
    return {PLAN: result.to_saved_plan().to_json(), RECEIPT: receipt_of(result).to_json()}


def executed_and_replayed(built: BuiltStore) -> Any:
    """What comes of a plan and a receipt that were written before the redesign."""
    engine = built.installation.engine
    plan, receipt = plan_from_json(expected(PLAN)), receipt_from_json(expected(RECEIPT))
    executed = engine.questions.execute(local(), plan, load("documents"))
    replayed = engine.questions.replay(local(), receipt)
    return readable(
        {
            "plan was edited": plan.edited,
            "context of the plan": executed.context.digest,
            "receipt gives the same": replayed.same,
            "difference": replayed.difference,
            "notes": replayed.notes,
            "context of the receipt": receipt.context_digest,
        }
    )


ENGINE: Mapping[str, Callable[[BuiltStore], Any]] = {
    "audit": lambda built: readable({"log": built.history.audit, "anchor": built.history.anchor}),
    "retrievals": lambda built: engine_values.full_retrievals(built.installation),
    "matrix": lambda built: engine_values.retrieval_matrix(built.installation),
    "graph": lambda built: engine_values.graph(built.installation),
    "snapshots": lambda built: engine_values.snapshots(built.installation, built.history.results),
    "access": lambda built: engine_values.access(built.installation),
    "reasons": lambda built: engine_values.reasons(built.installation),
    "before": executed_and_replayed,
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
