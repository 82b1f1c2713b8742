"""A retrieval: what one question gave, and how."""

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import canonical, plain
from docgraph.model.errors import BadPlan, DocgraphError
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.model.snapshot import Scope, SnapshotName
from docgraph.model.vector import MAX_SQUARED_LENGTH
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.run import Run

# Reading a file that docgraph wrote, strictly: each key known and there once, each type right.


LARGEST = 16 * 1024 * 1024
T = TypeVar("T")


def read_strictly(kind: type[T], text: str | bytes, what: str, refused: type[DocgraphError]) -> T:
    """`what` names it in an error, which is `refused`."""
    from pydantic import TypeAdapter, ValidationError

    if len(text) > LARGEST:
        raise refused(f"a {what} takes at most {LARGEST} bytes, this one has {len(text)}")
    try:
        found = TypeAdapter(kind).validate_json(text, strict=True)
        exact = canonical(found) == canonical(json.loads(text, object_pairs_hook=_once_each))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise refused(f"not a {what}: {where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise refused(f"not a {what}: {error}") from error
    if not exact:
        raise refused(f"not a {what}: its keys are not exactly those of a {what}")
    return found


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys one reader takes the first, another the last."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        found[key] = value
    return found


# A plan as a file: the plan, and beside it the snapshots and pipeline it was made with.


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
    if sum(value * value for value in plan.query_vector) > MAX_SQUARED_LENGTH:
        raise BadPlan("the query vector is longer than any unit vector, so it cannot be exact")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one request gave, the snapshots it read, and the trace of its steps."""

    request: QuestionRequest
    scope: Scope
    run: Run

    @property
    def seeds(self) -> Seeds:
        return self.run.get(Seeds)

    @property
    def plan(self) -> RetrievalPlan:
        return self.run.get(RetrievalPlan)

    @property
    def context(self) -> Context:
        return self.run.get(Context)

    @property
    def answer(self) -> Answer:
        return self.run.get(Answer)

    def saved(self) -> SavedPlan:
        plan = self.plan
        return SavedPlan(FORMAT, plan, plan.digest, self.scope.snapshots, self.run.pipeline.name)
