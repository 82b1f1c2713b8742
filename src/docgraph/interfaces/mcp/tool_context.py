"""The desk: what a tool call may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docgraph.engine import Engine
from docgraph.model.errors import BadInput
from docgraph.model.validation import suggest
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.pipeline import Pipeline
from docgraph.wiring.server_settings import NOTHING_SERVED, ServeSettings

# What one call may cost: whatever a client asks for, no answer grows past these.


LONGEST_ID = 4_000  # characters
LONGEST_NAME = 200
MOST_SEEDS = 50
MOST_TOKENS = 32_000
MOST_RELATIONS = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` for one call, of which `at_once` run beside each other, and `queue` wait.

    `results` are found by one search, `letters` of a text are fetched, `listed` is how long any
    list gets. `body` is what one HTTP request may hold, in bytes.
    """

    seconds: float = NOTHING_SERVED.time
    at_once: int = 8
    queue: int = NOTHING_SERVED.queue
    results: int = 20
    max_characters: int = 200_000
    max_items: int = 200
    body: int = NOTHING_SERVED.body_bytes


def limits_of(served: ServeSettings) -> Limits:
    """As an operator sets them for all that is served."""
    return Limits(
        seconds=served.time,
        at_once=served.concurrency or Limits().at_once,
        queue=served.queue,
        body=served.body_bytes,
    )


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The engine, the pipelines on offer by name, the limits. Nothing here knows who asks."""

    engine: Engine
    pipelines: Mapping[str, Pipeline]
    limits: Limits = field(default_factory=Limits)

    def pipeline(self, name: str) -> Pipeline:
        """By its name alone: a tool call names no file."""
        if name not in self.pipelines:
            raise BadInput(f"no pipeline is called {name!r}; {suggest(name, self.pipelines)}")
        return self.pipelines[name]


def load_pipelines(own: Mapping[str, str] | None = None) -> dict[str, Pipeline]:
    """The shipped pipelines, and an operator's own files by name; all are read once, now."""
    files = {**{name: name for name in shipped()}, **(own or {})}
    return {name: load(files[name]) for name in sorted(files)}
