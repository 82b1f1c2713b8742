"""The house behind this door: what every request may need, made once at the start."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request

from docgraph.doors.http.metrics import Metrics
from docgraph.doors.http.named_pipelines import NamedPipelines
from docgraph.doors.http.roots import Roots
from docgraph.doors.workers import Workers
from docgraph.model.access import LOCAL
from docgraph.wiring.serve_settings import ServeSettings

if TYPE_CHECKING:
    from docgraph.doors.http.runner import Runner
    from docgraph.doors.login.login import Login
    from docgraph.engine import Engine
    from docgraph.requested import RequestedIngestions

LAST_STEP = 2.0  # seconds for work that nobody waits for any more


@dataclass(slots=True)
class Condition:
    """Loading, then ready, then draining, until a time that `time.monotonic` tells."""

    ready: bool = False
    ends: float | None = None

    @property
    def draining(self) -> bool:
        return self.ends is not None


@dataclass(frozen=True, slots=True)
class House:
    """`load` gets the models ready; until it is through, the house is not ready."""

    engine: "Engine"
    login: "Login"
    ingestions: "RequestedIngestions"
    runner: "Runner | None"
    settings: ServeSettings
    pipelines: NamedPipelines
    roots: Roots
    questions: Workers
    answers: Workers
    metrics: Metrics
    load: Callable[[], None]
    condition: Condition = field(default_factory=Condition)

    def drain(self) -> None:
        """From now on it is not ready, and takes no further ingestion up."""
        if self.condition.ends is None:
            self.condition.ends = time.monotonic() + self.settings.drain
        if self.runner is not None:
            self.runner.take_no_more()

    def close(self) -> None:
        """Waits no longer than is left of the time to drain."""
        self.drain()
        assert self.condition.ends is not None
        left = max(0.0, self.condition.ends - time.monotonic())
        if self.runner is not None:
            self.runner.stop(left)
        for workers in (self.questions, self.answers):
            workers.close(min(left, LAST_STEP))

    def store_answers(self) -> None:
        """Raises where it does not."""
        with self.engine.store.access_book(LOCAL) as book:
            book.rules("", "")


def house_of(request: Request) -> House:
    found: House = request.app.state.house
    return found
