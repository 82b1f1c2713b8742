"""A tool: its name, words for a model, the shapes of what it takes and gives, and what it does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from mcp.types import Tool as ToolDefinition
from mcp.types import ToolAnnotations
from pydantic import TypeAdapter

from docgraph.interfaces.mcp.arguments import Where, read_arguments
from docgraph.interfaces.mcp.tool_context import ToolContext
from docgraph.model.access import Principal
from docgraph.model.digest import plain

T = TypeVar("T")
R = TypeVar("R")

# Nothing is written, nothing outside the store is reached, and asking twice gives the same.
READS_ONLY: Mapping[str, bool] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_WHERE = frozenset(field.name for field in fields(Where))


@dataclass(frozen=True, slots=True)
class Tool(Generic[T, R]):
    """`as_text` is what a client shows that knows of no structure; without it, the same as JSON."""

    name: str
    title: str
    description: str
    takes: type[T]
    gives: type[R]
    does: Callable[[ToolContext, Principal, T], R]
    as_text: Callable[[R], str] | None = None

    def definition(self, pipelines: tuple[str, ...]) -> ToolDefinition:
        """With the names of the pipelines that are on offer here."""
        takes = TypeAdapter(self.takes).json_schema()
        asked = takes["properties"]
        if "pipeline" in asked:
            asked["pipeline"]["enum"] = list(pipelines)
        # What is asked stands before where it is asked.
        takes["properties"] = {name: asked[name] for name in sorted(asked, key=_WHERE.__contains__)}
        return ToolDefinition(
            name=self.name,
            title=self.title,
            description=self.description,
            inputSchema=takes,
            outputSchema=TypeAdapter(self.gives).json_schema(mode="serialization"),
            annotations=ToolAnnotations(title=self.title, **READS_ONLY),
        )

    def read(self, given: object) -> T:
        names = tuple(field.name for field in fields(self.takes))  # type: ignore[arg-type]
        read: T = read_arguments(TypeAdapter(self.takes), names, given)
        return read

    def told(self, result: R) -> dict[str, Any]:
        told: dict[str, Any] = plain(result)
        return told
