"""sendable: the part of a page that may be sent to an endpoint."""

from dataclasses import replace

from docgraph.assemble.assemble_context import shares
from docgraph.assemble.render import item_block, render
from docgraph.model.context import Context, ContextItem
from docgraph.model.egress import Ceiling, egress
from docgraph.model.tokens import TokenCounter

NOTHING = "nothing here may be sent to this endpoint"


def sendable(context: Context, tokens: TokenCounter, ceiling: Ceiling | None) -> Context:
    """The page without what is above the ceiling; `omitted` tells what that was, and why.

    The page is written anew out of what may be sent alone, and numbered anew: it does not show
    that something is missing.
    """
    divided = egress(context, ceiling)
    if not divided.withheld:
        return context
    concepts = [item for item in divided.sent if item.layer == "concept"]
    evidence = [item for item in divided.sent if item.layer == "evidence"]
    text = render([item_block(item) for item in concepts], [item_block(item) for item in evidence])
    items = (*concepts, *_numbered(evidence))
    return replace(
        context,
        text=text,
        tokens=tokens.count(text),
        tokenizer=tokens.name,
        items=items,
        documents=shares(items),
        omitted=(*context.omitted, *divided.withheld),
        reason=context.reason or ("" if items else NOTHING),
    )


def _numbered(evidence: list[ContextItem]) -> tuple[ContextItem, ...]:
    return tuple(replace(item, number=number) for number, item in enumerate(evidence, start=1))
