"""A tool, and the context that its calls get: the engine, pipelines and limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from mcp.types import Tool as ToolDefinition
from mcp.types import ToolAnnotations
from pydantic import TypeAdapter

from docgraph.engine import Engine
from docgraph.interfaces.mcp.arguments import (
    PlanArguments,
    ScopeArguments,
    id_of,
    read_arguments,
)
from docgraph.model.access import Principal
from docgraph.model.digest import plain
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotName
from docgraph.model.validation import suggest
from docgraph.pipeline.catalog import FindAction, find_none
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import OVERRIDES, QuestionRequest
from docgraph.wiring.server_settings import NOTHING_SERVED, ServeSettings


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may cost. `at_once` calls run concurrently, each for `seconds`; `queue` wait.

    `body` is the size of an HTTP request in bytes.
    """

    seconds: float = NOTHING_SERVED.time
    at_once: int = 8
    queue: int = NOTHING_SERVED.queue
    results: int = 20
    max_characters: int = 200_000
    max_items: int = 200
    body: int = NOTHING_SERVED.body_bytes


def limits_of(served: ServeSettings) -> Limits:
    """As the server's settings say."""
    return Limits(
        seconds=served.time,
        at_once=served.concurrency or Limits().at_once,
        queue=served.queue,
        body=served.body_bytes,
    )


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use. The caller is not part of it."""

    engine: Engine
    pipelines: Mapping[str, Pipeline]
    limits: Limits = field(default_factory=Limits)

    def pipeline(self, name: str) -> Pipeline:
        """By its name alone: a tool call opens no file."""
        if name not in self.pipelines:
            raise BadInput(f"no pipeline is called {name!r}; {suggest(name, self.pipelines)}")
        return self.pipelines[name]

    def request(self, reader: Principal, arguments: PlanArguments) -> QuestionRequest:
        values = {name: getattr(arguments, name, None) for name in OVERRIDES}
        return QuestionRequest(
            reader,
            self.pipeline(arguments.pipeline),
            arguments.question,
            tuple(map(id_of, arguments.seeds)),
            arguments.scope,
            **values,
        )


def load_pipelines(
    own: Mapping[str, str] | None = None, find_action: FindAction = find_none
) -> dict[str, Pipeline]:
    """The shipped pipelines, and the operator's own files by name, read once."""
    files = {**{name: name for name in shipped_pipelines()}, **(own or {})}
    return {name: load(files[name], find_action) for name in sorted(files)}


T = TypeVar("T")
R = TypeVar("R")

# Nothing is written, nothing outside the store is reached, and asking twice gives the same.
READS_ONLY: Mapping[str, bool] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_SCOPE = frozenset(one.name for one in fields(ScopeArguments))


@dataclass(frozen=True, slots=True)
class Tool(Generic[T, R]):
    """`as_text` is for clients that read no structured content; without it they get JSON.
    `snapshots` are those that the result is of, where it names them."""

    name: str
    title: str
    description: str
    takes: type[T]
    gives: type[R]
    does: Callable[[ToolContext, Principal, T], R]
    as_text: Callable[[R], str] | None = None
    snapshots: Callable[[R], tuple[SnapshotName, ...]] = lambda _: ()

    def definition(self, pipelines: tuple[str, ...]) -> ToolDefinition:
        """With the names of the pipelines that this server has."""
        takes = TypeAdapter(self.takes).json_schema()
        properties = takes["properties"]
        if "pipeline" in properties:
            properties["pipeline"]["enum"] = list(pipelines)
        # The question stands before its scope.
        names = sorted(properties, key=_SCOPE.__contains__)
        takes["properties"] = {name: properties[name] for name in names}
        return ToolDefinition(
            name=self.name,
            title=self.title,
            description=self.description,
            inputSchema=takes,
            outputSchema=TypeAdapter(self.gives).json_schema(mode="serialization"),
            annotations=ToolAnnotations(title=self.title, **READS_ONLY),
        )

    def read(self, given: object) -> T:
        names = tuple(one.name for one in fields(self.takes))  # type: ignore[arg-type]
        read: T = read_arguments(TypeAdapter(self.takes), names, given)
        return read

    def structured(self, result: R) -> dict[str, Any]:
        values: dict[str, Any] = plain(result)
        return values
