"""fetch: one node's whole text, as research clients expect it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from docgraph.interfaces.mcp.arguments import Id, ScopeArguments, id_of, url_of
from docgraph.interfaces.mcp.tool_context import Tool, ToolContext
from docgraph.model.access import Principal
from docgraph.model.document import NodeText
from docgraph.model.node import repository_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchArguments(ScopeArguments):
    id: Annotated[
        Id,
        Field(description="The id of a document, section, symbol or chunk, or its address."),
    ]


@dataclass(frozen=True, slots=True)
class FetchResult:
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def fetch(context: ToolContext, principal: Principal, arguments: FetchArguments) -> FetchResult:
    """Forbidden and absent give the same message."""
    (found,) = context.engine.questions.nodes(
        principal, (id_of(arguments.id),), scope=arguments.scope
    )
    most = context.limits.max_characters
    return FetchResult(
        id=found.id,
        title=found.title or found.id,
        text=(found.text or "")[:most],
        url=url_of(found.id),
        metadata=dict(_metadata(found, most)),
    )


def _metadata(found: NodeText, most: int) -> Iterator[tuple[str, str]]:
    yield "kind", found.kind
    yield "repository", repository_of(found.id)
    yield "path", found.location.path
    yield "citation", f"{repository_of(found.id)}:{found.location.cite()}"
    yield "document_id", found.document_id
    yield "ingestion_id", found.ingestion_id
    yield "node", found.node
    if found.heading_path:
        yield "heading", " > ".join(found.heading_path)
    yield "access", found.access
    length = len(found.text or "")
    if length > most:
        yield "cut", f"the first {most} of {length} characters; fetch its sections one by one"


FETCH = Tool(
    name="fetch",
    title="Fetch",
    description=(
        "Read one document, section, code symbol or chunk whole, by its id (as `search`, "
        "`context`, `plan` and `relations` give it) or by its address. The metadata says what it "
        "is and where it stands, in a form that can be cited. A very long text is cut, and its "
        "metadata says so: the sections inside it are those that `relations` lists with type "
        "`contains`."
    ),
    takes=FetchArguments,
    gives=FetchResult,
    does=fetch,
)
