"""A plan as a file: the plan, and beside it the snapshots and pipeline it was made with."""

import json
from dataclasses import dataclass

from docgraph.model.digest import plain
from docgraph.model.errors import BadPlan
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import LONGEST_SQUARED
from docgraph.pipeline.strict_json import read_strictly

FORMAT = "docgraph.plan/1"
MOST_PLANNED = 2_000  # search gives at most 1,000 seeds, planning adds at most 500 nodes


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """`digest` is the plan's as it was saved; an edited plan has another one."""

    format: str
    plan: RetrievalPlan
    digest: str
    snapshots: tuple[SnapshotName, ...]
    pipeline: str

    @property
    def edited(self) -> bool:
        return self.plan.digest != self.digest

    def to_json(self) -> str:
        return json.dumps(plain(self), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def plan_from_json(text: str | bytes) -> SavedPlan:
    """The order is made of the plan's own nodes, too."""
    saved = read_strictly(SavedPlan, text, "saved plan", BadPlan)
    if saved.format != FORMAT:
        raise BadPlan(f"plan format {saved.format!r}; this docgraph reads {FORMAT!r}")
    _consistent(saved.plan)
    return saved


def _consistent(plan: RetrievalPlan) -> None:
    expanded = tuple(expansion.document_id for expansion in plan.expanded_documents)
    named = (*plan.seed_documents, *expanded)
    if len(plan.order) > MOST_PLANNED:
        raise BadPlan(f"a plan holds at most {MOST_PLANNED} nodes, this one {len(plan.order)}")
    if sorted(plan.order) != sorted(named) or len(set(named)) != len(named):
        raise BadPlan("the plan's order does not name its seeds and expanded documents once each")
    if len(plan.query_vector) not in (0, plan.embedder.dimensions):
        raise BadPlan(
            f"the query vector has {len(plan.query_vector)} numbers, "
            f"its embedder {plan.embedder.dimensions}"
        )
    if sum(value * value for value in plan.query_vector) > LONGEST_SQUARED:
        raise BadPlan("the query vector is longer than any unit vector, so it cannot be exact")
