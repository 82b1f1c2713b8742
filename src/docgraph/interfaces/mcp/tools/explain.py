"""explain: why each item of a context is there; of one node, why it is there or why not."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from docgraph.interfaces.mcp.arguments import Id, QuestionArguments, id_of
from docgraph.interfaces.mcp.tool_context import Tool, ToolContext
from docgraph.model.access import Principal
from docgraph.model.context import Omission
from docgraph.model.explanation import Explanation
from docgraph.model.plan import Cut


@dataclass(frozen=True, slots=True)
class ExplainArguments(QuestionArguments):
    node: Annotated[
        Id | None,
        Field(description="Explain this one node: why it is in the context, or why it is not."),
    ] = None


@dataclass(frozen=True, slots=True)
class ItemExplanation:
    """`number` is 0 for a summary; evidence is cited by it."""

    number: int
    layer: str
    id: str
    rule: str
    access: str
    budget: str


@dataclass(frozen=True, slots=True)
class ExplainResult:
    """Of one `node`, the rest is empty. `more` counts what a list lost that grew too long."""

    question: str
    digest: str
    reason: str
    scope: str
    items: tuple[ItemExplanation, ...]
    omitted: tuple[Omission, ...]
    left_out: tuple[Cut, ...]
    more: dict[str, int]
    node: Explanation | None


def explain(
    context: ToolContext, principal: Principal, arguments: ExplainArguments
) -> ExplainResult:
    request = context.request(principal, arguments)
    if arguments.node is not None:
        return _of_node(context.engine.questions.why(request, id_of(arguments.node)))
    found = context.engine.questions.retrieve(request)
    page, most = found.context, context.limits.max_items
    lists = {"items": page.items, "omitted": page.omitted, "left_out": found.plan.cut}
    return ExplainResult(
        question=page.question,
        digest=page.digest,
        reason=page.reason,
        scope=found.plan.constraints.selection.reason,
        items=tuple(
            ItemExplanation(i.number, i.layer, i.id, i.why.rule, i.why.access, i.why.budget)
            for i in page.items[:most]
        ),
        omitted=page.omitted[:most],
        left_out=found.plan.cut[:most],
        more={name: max(0, len(items) - most) for name, items in lists.items()},
        node=None,
    )


def _of_node(found: Explanation) -> ExplainResult:
    return ExplainResult(
        question=found.question,
        digest="",
        reason=found.explanation,
        scope="",
        items=(),
        omitted=(),
        left_out=(),
        more={},
        node=found,
    )


EXPLAIN = Tool(
    name="explain",
    title="Explain",
    description=(
        "Tell why each item of a question's context is there: the seed or edge that admitted it, "
        "on what grounds the reader may see it, and what the token budget decided; then what was "
        "left out, and by which limit. With `node`, tell for that one node at which step it was "
        "left out and the smallest change that includes it, each change tried; this takes longer."
    ),
    takes=ExplainArguments,
    gives=ExplainResult,
    does=explain,
)
