"""relations: what a node is connected with, and where that is said."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from docgraph.interfaces.mcp.arguments import Id, Name, Where, id_of
from docgraph.interfaces.mcp.tool import Tool
from docgraph.interfaces.mcp.tool_context import MOST_RELATIONS, ToolContext
from docgraph.model.access import Principal
from docgraph.model.edge import RELATIONS as KNOWN
from docgraph.model.edge import Edge, Relationship
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.explanation import NOT_VISIBLE
from docgraph.model.node import document_of
from docgraph.model.validation import suggest

MOST_PLACES = 5
LONGEST_SAYING = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationsArguments(Where):
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
class Place:
    """Where the relation is said; line 0 where there is none to tell."""

    path: str
    line: int
    says: str


@dataclass(frozen=True, slots=True)
class RelationFound:
    """`source` --`type`--> `target`, found by `origins`."""

    source: str
    type: str
    target: str
    origins: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class RelationsFound:
    """`more` is how many there are beyond the limit."""

    node: str
    relations: tuple[RelationFound, ...]
    more: int


def relations(desk: ToolContext, principal: Principal, asked: RelationsArguments) -> RelationsFound:
    """Of a document, those of its sections and symbols too."""
    if asked.type is not None and asked.type not in KNOWN:
        raise BadInput(f"no relation is called {asked.type!r}; {suggest(asked.type, KNOWN)}")
    node = _visible(desk, principal, asked)
    only = None if asked.type is None else frozenset({asked.type})
    touching = [
        known
        for known in desk.engine.content.relations(principal, asked.wanted, only, node)
        if node in _ends(known.edge, asked.direction)
    ]
    most = min(asked.limit, desk.limits.max_items)
    shown = tuple(_found(known) for known in touching[:most])
    return RelationsFound(node, shown, max(0, len(touching) - most))


def _visible(desk: ToolContext, principal: Principal, asked: RelationsArguments) -> str:
    """A passage has no relations of its own: those of the node that holds it are told."""
    wanted = asked.wanted
    for found in desk.engine.questions.nodes(
        principal, (id_of(asked.node),), wanted=wanted, whole=False
    ):
        return found.node
    raise NotVisible(NOT_VISIBLE)


def _ends(edge: Edge, direction: str) -> Iterator[str]:
    if direction != "in":
        yield from (edge.source, document_of(edge.source))
    if direction != "out":
        yield from (edge.target, document_of(edge.target))


def _found(known: Relationship) -> RelationFound:
    edge = known.edge
    places = tuple(
        Place(shown.path, shown.line, shown.says[:LONGEST_SAYING])
        for shown in known.evidence[:MOST_PLACES]
    )
    return RelationFound(edge.source, edge.relation, edge.target, known.origins, places)


RELATIONS = Tool(
    name="relations",
    title="Relations",
    description=(
        "List what a document, section or code symbol is connected with: which documents it "
        "references, supersedes or explains, what code it calls or imports, and what points back "
        "at it, each with the places in the text that say so. Use it to walk from one document "
        "to the next; open a neighbour with `fetch`. Type `contains` lists the sections and "
        "symbols inside."
    ),
    takes=RelationsArguments,
    gives=RelationsFound,
    does=relations,
)
