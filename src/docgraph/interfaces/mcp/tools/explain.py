"""explain: why each item of a context is there; of one node, why it is there or why not."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from docgraph.interfaces.mcp.arguments import Asked, Id, id_of
from docgraph.interfaces.mcp.tool import Tool
from docgraph.interfaces.mcp.tool_context import MOST_TOKENS, ToolContext
from docgraph.interfaces.mcp.tools.context import budgeted
from docgraph.model.access import Principal
from docgraph.model.context import Omission
from docgraph.model.explanation import Explanation
from docgraph.model.plan import Cut


@dataclass(frozen=True, slots=True)
class ExplainArguments(Asked):
    max_tokens: Annotated[
        int | None,
        Field(ge=1, le=MOST_TOKENS, description="Another token budget than the pipeline's."),
    ] = None
    node: Annotated[
        Id | None,
        Field(description="Explain this one node: why it is in the context, or why it is not."),
    ] = None


@dataclass(frozen=True, slots=True)
class ItemExplained:
    """`number` is 0 for a summary; evidence is cited by it."""

    number: int
    layer: str
    id: str
    rule: str
    access: str
    budget: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Of one `node`, the rest is empty. `more` counts what a list lost that grew too long."""

    question: str
    digest: str
    reason: str
    scope: str
    items: tuple[ItemExplained, ...]
    omitted: tuple[Omission, ...]
    left_out: tuple[Cut, ...]
    more: dict[str, int]
    node: Explanation | None


def explain(desk: ToolContext, principal: Principal, asked: ExplainArguments) -> Explained:
    pipeline = budgeted(desk.pipeline(asked.pipeline), asked.max_tokens)
    if asked.node is not None:
        return _of_node(
            desk.engine.questions.why(
                principal,
                asked.question,
                id_of(asked.node),
                pipeline,
                seeds=asked.seeds,
                wanted=asked.wanted,
            )
        )
    found = desk.engine.questions.retrieve(
        principal, asked.question, pipeline, seeds=asked.seeds, wanted=asked.wanted
    )
    page, most = found.context, desk.limits.max_items
    lists = {"items": page.items, "omitted": page.omitted, "left_out": found.plan.cut}
    return Explained(
        question=page.question,
        digest=page.digest,
        reason=page.reason,
        scope=found.plan.constraints.selection.reason,
        items=tuple(
            ItemExplained(i.number, i.layer, i.id, i.why.rule, i.why.access, i.why.budget)
            for i in page.items[:most]
        ),
        omitted=page.omitted[:most],
        left_out=found.plan.cut[:most],
        more={name: max(0, len(held) - most) for name, held in lists.items()},
        node=None,
    )


def _of_node(found: Explanation) -> Explained:
    return Explained(
        question=found.question,
        digest="",
        reason=found.words,
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
        "left out, and by which limit. With `node`, tell for that one node at which step it fell "
        "out and the smallest change that would let it in, each change tried; this takes longer."
    ),
    takes=ExplainArguments,
    gives=Explained,
    does=explain,
)
