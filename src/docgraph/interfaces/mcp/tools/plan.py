"""plan: which documents may be read for a question, and why. No text is read for it."""

from dataclasses import dataclass

from docgraph.interfaces.mcp.arguments import PlanArguments
from docgraph.interfaces.mcp.tool_context import Tool, ToolContext
from docgraph.model.access import Principal
from docgraph.model.node import document_of
from docgraph.model.plan import Cut, RetrievalPlan
from docgraph.model.snapshot import SnapshotName


@dataclass(frozen=True, slots=True)
class AdmittedNode:
    """`position` counts from 1; `because` is the seed's rank or the edge that admits it."""

    position: int
    id: str
    document_id: str
    because: str


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Lists are cut where they grow too long; `more` counts what each lost."""

    question: str
    pipeline: str
    digest: str
    snapshots: tuple[SnapshotName, ...]
    admitted: tuple[AdmittedNode, ...]
    left_out: tuple[Cut, ...]
    scope: str
    out_of_scope: tuple[str, ...]
    more: dict[str, int]


def plan(context: ToolContext, principal: Principal, arguments: PlanArguments) -> PlanResult:
    found = context.engine.questions.plan(context.request(principal, arguments))
    made, most = found.plan, context.limits.max_items
    dropped = made.constraints.selection.dropped
    lists = {"admitted": len(made.order), "left_out": len(made.cut), "out_of_scope": len(dropped)}
    return PlanResult(
        question=made.question,
        pipeline=arguments.pipeline,
        digest=made.digest,
        snapshots=found.scope.snapshots[:most],
        admitted=_admitted(made)[:most],
        left_out=made.cut[:most],
        scope=made.constraints.selection.reason,
        out_of_scope=dropped[:most],
        more={name: max(0, many - most) for name, many in lists.items()},
    )


def _admitted(made: RetrievalPlan) -> tuple[AdmittedNode, ...]:
    return tuple(
        AdmittedNode(position, node, document_of(node), made.rule_for(node))
        for position, node in enumerate(made.order, start=1)
    )


PLAN = Tool(
    name="plan",
    title="Plan",
    description=(
        "Select the documents that may be read for a question, without reading them: the seeds "
        "of search, and the documents that their relations lead to, each with the edge that "
        "admits it; then what a limit left out. Use it to see what `context` would read, or "
        "how documents are related around a question."
    ),
    takes=PlanArguments,
    gives=PlanResult,
    does=plan,
    snapshots=lambda result: result.snapshots,
)
