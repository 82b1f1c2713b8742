"""search: which nodes a question leads to, as research clients expect it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from docgraph.interfaces.mcp.arguments import NOTHING_ELSE, url_of
from docgraph.interfaces.mcp.tool_context import Tool, ToolContext
from docgraph.model.access import Principal
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS, QuestionRequest


@dataclass(frozen=True, slots=True)
class SearchArguments:
    __pydantic_config__: ClassVar[dict[str, Any]] = NOTHING_ELSE
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION_CHARACTERS,
            description="What to look for: a question, words, or an exact identifier.",
        ),
    ]


@dataclass(frozen=True, slots=True)
class SearchResult:
    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchResults:
    results: tuple[SearchResult, ...]


def search(context: ToolContext, principal: Principal, arguments: SearchArguments) -> SearchResults:
    """The seeds of `documents`, before its scope is chosen; best first.

    Titles are read afterwards: a node that is no longer visible by then is left out.
    """
    steps = context.pipeline("documents").steps
    seeking = Pipeline("documents", tuple(s for s in steps if s.action.name == "search_nodes"))
    request = QuestionRequest(principal, seeking, arguments.query)
    ids = context.engine.questions.search(request).seeds.ids[: context.limits.results]
    found = context.engine.questions.nodes(principal, ids, whole=False) if ids else ()
    return SearchResults(
        tuple(SearchResult(node.id, node.title or node.id, url_of(node.id)) for node in found)
    )


SEARCH = Tool(
    name="search",
    title="Search",
    description=(
        "Find documents and code that a question leads to, best first. Gives ids, titles and "
        "addresses, never text: open what looks right with `fetch`. Finds by meaning and by exact "
        "words alike, and only what the reader may see. To get the evidence itself, ready to "
        "cite, call `context` instead."
    ),
    takes=SearchArguments,
    gives=SearchResults,
    does=search,
)
