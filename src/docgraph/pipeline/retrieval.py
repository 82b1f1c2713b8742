"""The result of one request, and the plan as a file."""

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

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

# Strict parsing of files that docgraph wrote.


MAX_BYTES = 16 * 1024 * 1024
T = TypeVar("T")


def check_format(
    text: str | bytes, expected: str, what: str, advice: str, error_type: type[DocgraphError]
) -> None:
    """Refuses another version of the format by its name, before keys are compared."""
    _check_size(text, what, error_type)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return  # parse_strictly reports it
    found = data.get("format") if isinstance(data, dict) else None
    family = expected.rpartition("/")[0] + "/"
    if isinstance(found, str) and found.startswith(family) and found != expected:
        name = found[:40]
        raise error_type(
            f"this {what} has the format {name!r}; this docgraph reads {expected!r}: {advice}"
        )


def parse_strictly(
    kind: type[T], text: str | bytes, what: str, error_type: type[DocgraphError]
) -> T:
    """Each key known and once, each type exact. Errors are of `error_type` and name `what`."""
    from pydantic import TypeAdapter, ValidationError

    _check_size(text, what, error_type)
    try:
        found = TypeAdapter(kind).validate_json(text, strict=True)
        exact = canonical(found) == canonical(json.loads(text, object_pairs_hook=_unique_keys))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise error_type(f"not a {what}: {where}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise error_type(f"not a {what}: {error}") from error
    if not exact:
        raise error_type(f"not a {what}: its keys are not exactly those of a {what}")
    return found


def _check_size(text: str | bytes, what: str, error_type: type[DocgraphError]) -> None:
    if len(text) > MAX_BYTES:
        raise error_type(f"a {what} takes at most {MAX_BYTES} bytes, this one has {len(text)}")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses duplicate keys, of which parsers take the first or the last."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"the key {key[:40]!r} stands twice in one object")
        values[key] = value
    return values


# A plan as a file, with the snapshots and the pipeline that it was made with.


Format = Literal["docgraph.plan/2"]
FORMAT: Format = "docgraph.plan/2"
MAX_PLANNED_NODES = 2_000  # search gives at most 1,000 seeds, planning adds at most 500 nodes


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """`digest` is the plan's as it was saved; an edited plan has another one."""

    format: Format
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
    """Refuses an inconsistent plan, too."""
    check_format(text, FORMAT, "saved plan", "make the plan again", BadPlan)
    saved = parse_strictly(SavedPlan, text, "saved plan", BadPlan)
    _check_plan(saved.plan)
    return saved


def _check_plan(plan: RetrievalPlan) -> None:
    expanded = tuple(expansion.document_id for expansion in plan.expanded_documents)
    named = (*plan.seed_documents, *expanded)
    if len(plan.order) > MAX_PLANNED_NODES:
        raise BadPlan(f"a plan holds at most {MAX_PLANNED_NODES} nodes, this one {len(plan.order)}")
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
    """A request, the snapshots that it read, and the run of its pipeline."""

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
    def embeddings(self) -> str:
        """How far the visible documents were embedded."""
        plan = self.run.values.get(RetrievalPlan)
        return self.seeds.embeddings if plan is None else plan.constraints.embeddings

    @property
    def context(self) -> Context:
        return self.run.get(Context)

    @property
    def answer(self) -> Answer:
        return self.run.get(Answer)

    def to_saved_plan(self) -> SavedPlan:
        plan = self.plan
        return SavedPlan(FORMAT, plan, plan.digest, self.scope.snapshots, self.run.pipeline.name)
