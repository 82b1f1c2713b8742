"""The desk: what a tool call may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docgraph.doors.mcp.limits import Limits
from docgraph.engine import Engine
from docgraph.model.errors import BadInput
from docgraph.model.would_fit import would_fit
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Desk:
    """The engine, the pipelines on offer by name, the limits. Nothing here knows who asks."""

    engine: Engine
    pipelines: Mapping[str, Pipeline]
    limits: Limits = field(default_factory=Limits)

    def pipeline(self, name: str) -> Pipeline:
        """By its name alone: a tool call names no file."""
        if name not in self.pipelines:
            raise BadInput(f"no pipeline is called {name!r}; {would_fit(name, self.pipelines)}")
        return self.pipelines[name]


def on_offer(own: Mapping[str, str] | None = None) -> dict[str, Pipeline]:
    """The shipped pipelines, and an operator's own files by name; all are read once, now."""
    files = {**{name: name for name in shipped()}, **(own or {})}
    return {name: load(files[name]) for name in sorted(files)}
