"""What may be told of a value to whoever watches the machine: ids, counts and digests."""

from typing import Any

from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.digest import digest
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.ports.tracer import Fact

MOST_IDS = 50


def facts_of(value: Any) -> dict[str, Fact]:
    """None of them is text of a document, a question or an answer."""
    facts: dict[str, Fact] = {
        "docgraph.output": type(value).__name__,
        "docgraph.digest": digest(value),
    }
    match value:
        case Seeds():
            facts |= _named("seeds", value.ids)
        case RetrievalPlan():
            facts |= _named("planned", value.order)
            facts["docgraph.expanded"] = len(value.expanded_documents)
            facts["docgraph.cut"] = len(value.cut)
        case RetrievedContext():
            facts |= _named("passages", tuple(p.id for n in value.nodes for p in n.passages))
        case Context():
            facts |= _named("items", tuple(item.id for item in value.items if item.number))
            facts["docgraph.tokens"] = value.tokens
            facts["docgraph.omitted"] = len(value.omitted)
        case Answer():
            facts |= _named("sources", tuple(source.id for source in value.sources))
            facts["docgraph.answer"] = value.kind
            facts["docgraph.flags"] = len(value.flags)
        case _:
            pass
    return facts


def _named(what: str, ids: tuple[str, ...]) -> dict[str, Fact]:
    return {f"docgraph.{what}": len(ids), f"docgraph.{what}.ids": ids[:MOST_IDS]}
