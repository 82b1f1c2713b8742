"""fetch: one node's whole text, as research clients expect it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from docgraph.interfaces.mcp.arguments import Id, Where, id_of, url_of
from docgraph.interfaces.mcp.tool import Tool
from docgraph.interfaces.mcp.tool_context import ToolContext
from docgraph.model.access import Principal
from docgraph.model.document import NodeText
from docgraph.model.errors import NotVisible
from docgraph.model.explanation import NOT_VISIBLE
from docgraph.model.node import repository_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchArguments(Where):
    id: Annotated[
        Id,
        Field(description="The id of a document, section, symbol or passage, or its address."),
    ]


@dataclass(frozen=True, slots=True)
class Fetched:
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def fetch(desk: ToolContext, principal: Principal, asked: FetchArguments) -> Fetched:
    """What is forbidden and what is not there get the same words."""
    for found in desk.engine.questions.nodes(principal, (id_of(asked.id),), wanted=asked.wanted):
        most = desk.limits.max_characters
        return Fetched(
            id=found.id,
            title=found.title or found.id,
            text=(found.text or "")[:most],
            url=url_of(found.id),
            metadata=dict(_metadata(found, most)),
        )
    raise NotVisible(NOT_VISIBLE)


def _metadata(found: NodeText, most: int) -> Iterator[tuple[str, str]]:
    yield "kind", found.kind
    yield "repository", repository_of(found.id)
    yield "path", found.location.path
    yield "citation", f"{repository_of(found.id)}:{found.location.cite()}"
    yield "document", found.document
    yield "node", found.node
    if found.heading_path:
        yield "heading", " > ".join(found.heading_path)
    yield "access", found.access
    letters = len(found.text or "")
    if letters > most:
        yield "cut", f"the first {most} of {letters} characters; fetch its sections one by one"


FETCH = Tool(
    name="fetch",
    title="Fetch",
    description=(
        "Read one document, section, code symbol or passage whole, by its id (as `search`, "
        "`context`, `plan` and `relations` give it) or by its address. The metadata says what it "
        "is and where it stands, in a form that can be cited. A very long text is cut, and its "
        "metadata says so: the sections inside it are those that `relations` lists with type "
        "`contains`."
    ),
    takes=FetchArguments,
    gives=Fetched,
    does=fetch,
)
