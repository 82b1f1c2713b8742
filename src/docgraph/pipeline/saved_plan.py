"""A plan as a file: the plan, and beside it the snapshots and pipeline it was made with."""

import json
from dataclasses import dataclass

from docgraph.model.digest import canonical, plain
from docgraph.model.errors import BadPlan
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import LONGEST_SQUARED

FORMAT = "docgraph.plan/1"
LARGEST = 16 * 1024 * 1024
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
    """Strictly: every key known and present, every type right, the order made of its own nodes."""
    from pydantic import TypeAdapter, ValidationError

    if len(text) > LARGEST:
        raise BadPlan(f"a saved plan takes at most {LARGEST} bytes, this one has {len(text)}")
    try:
        saved = TypeAdapter(SavedPlan).validate_json(text, strict=True)
        exact = canonical(saved) == canonical(json.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadPlan(f"not a saved plan: {where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise BadPlan(f"not a saved plan: {error}") from error
    if saved.format != FORMAT:
        raise BadPlan(f"plan format {saved.format!r}; this docgraph reads {FORMAT!r}")
    if not exact:
        raise BadPlan("not a saved plan: its keys are not exactly those of a plan")
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
