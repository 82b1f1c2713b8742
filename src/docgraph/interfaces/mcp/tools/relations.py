"""relations: the edges of a node, and the text that states them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from docgraph.interfaces.mcp.arguments import MOST_RELATIONS, Id, Name, ScopeArguments, id_of
from docgraph.interfaces.mcp.tool_context import Tool, ToolContext
from docgraph.model.access import Principal
from docgraph.model.edge import RELATIONS as KNOWN
from docgraph.model.edge import Edge, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.node import document_of
from docgraph.model.validation import suggest

MAX_POSITIONS = 5
MAX_TEXT_CHARACTERS = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationsArguments(ScopeArguments):
    node: Annotated[Id, Field(description="The id of a document, section or symbol.")]
    type: Annotated[
        Name | None,
        Field(description="Only this type, such as `references`, `supersedes` or `calls`."),
    ] = None
    direction: Annotated[
        Literal["out", "in", "both"],
        Field(description="Relations that leave the node, enter it, or both."),
    ] = "both"
    limit: Annotated[
        int, Field(ge=1, le=MOST_RELATIONS, description="How many relations at most.")
    ] = 50


@dataclass(frozen=True, slots=True)
class EvidencePosition:
    """Where the text states the relation; line 0 where no line is known."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RelationResult:
    """`source` --`type`--> `target`, found by `origins`."""

    source: str
    type: str
    target: str
    origins: tuple[str, ...]
    positions: tuple[EvidencePosition, ...]


@dataclass(frozen=True, slots=True)
class RelationsResult:
    """`more` is how many there are beyond the limit."""

    node: str
    relations: tuple[RelationResult, ...]
    more: int


def relations(
    context: ToolContext, principal: Principal, arguments: RelationsArguments
) -> RelationsResult:
    """Of a document, those of its sections and symbols too."""
    if arguments.type is not None and arguments.type not in KNOWN:
        raise BadInput(
            f"no relation is called {arguments.type!r}; {suggest(arguments.type, KNOWN)}"
        )
    node = _node_of(context, principal, arguments)
    only = None if arguments.type is None else frozenset({arguments.type})
    touching = [
        known
        for known in context.engine.content.relations(principal, arguments.scope, only, node)
        if node in _ends(known.edge, arguments.direction)
    ]
    most = min(arguments.limit, context.limits.max_items)
    shown = tuple(_found(known) for known in touching[:most])
    return RelationsResult(node, shown, max(0, len(touching) - most))


def _node_of(context: ToolContext, principal: Principal, arguments: RelationsArguments) -> str:
    """A chunk has no relations of its own: its node's are listed."""
    (found,) = context.engine.questions.nodes(
        principal, (id_of(arguments.node),), scope=arguments.scope, whole=False
    )
    return found.node


def _ends(edge: Edge, direction: str) -> Iterator[str]:
    if direction != "in":
        yield from (edge.source, document_of(edge.source))
    if direction != "out":
        yield from (edge.target, document_of(edge.target))


def _found(known: Relationship) -> RelationResult:
    edge = known.edge
    positions = tuple(
        EvidencePosition(shown.path, shown.line, shown.text[:MAX_TEXT_CHARACTERS])
        for shown in known.evidence[:MAX_POSITIONS]
    )
    return RelationResult(edge.source, edge.relation, edge.target, known.origins, positions)


RELATIONS = Tool(
    name="relations",
    title="Relations",
    description=(
        "List what a document, section or code symbol is connected with: which documents it "
        "references, supersedes or explains, what code it calls or imports, and what points back "
        "at it, each with the positions in the text that state it. Use it to go from one "
        "document to the next; open a neighbour with `fetch`. Type `contains` lists the "
        "sections and symbols inside."
    ),
    takes=RelationsArguments,
    gives=RelationsResult,
    does=relations,
)
