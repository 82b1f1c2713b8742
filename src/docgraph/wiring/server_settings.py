"""Settings of `docgraph serve`: where it listens, what it reads, how much it lets anyone ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Interval, MinLen

from docgraph.wiring.model_settings import STRICT

# A root of `docgraph serve` that is one tenant's.


Filled = Annotated[str, MinLen(1)]


@dataclass(frozen=True, slots=True)
class RootSettings:
    """IngestJobQueue of this tenant's people may read below the folder, and nobody else's."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    folder: Filled
    tenant: Filled


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """A folder, a git work tree or a file that the server watches, and who may read it. The names
    are those of options of `docgraph watch`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    path: Filled
    repository: Filled | None = None
    branch: Filled | None = None
    tenant: Filled | None = None
    readers: tuple[Filled, ...] = ()
    labels: tuple[Filled, ...] = ()
    level: Annotated[int, Ge(0)] = 0
    without: tuple[Filled, ...] = ()
    polling: bool = False


DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """As docgraph.yaml says them, below `serve`; times are in seconds.

    `roots` are folders below which ingestions may read; without any there are none. `watch` are
    folders that the server itself ingests whenever they change. `pipelines` are files by the
    names that requests may use. `concurrency` 0 is one for every core, of each process its
    share, two at least. `queue` is how many questions may wait beside those that are worked on.
    `answers` is how many wait for a model at once: they need no core meanwhile. An ingestion
    whose server has not renewed its `lease` is continued by another; after `ingestion_time` it
    has failed. `workers` is how many processes serve; all limits are of each. `connections` are
    open at once, never more than half of the files that the process may open; `head_time`
    limits how long the head of a request may take. `metrics` are for this machine or open to
    all.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    host: Filled = DEFAULT_HOST
    port: Annotated[int, Interval(ge=0, le=65_535)] = DEFAULT_PORT
    workers: Annotated[int, Interval(ge=1, le=64)] = 1
    roots: tuple[RootSettings | Filled, ...] = ()
    watch: tuple[WatchSettings | Filled, ...] = ()
    pipelines: Mapping[Filled, Filled] = field(default_factory=dict)
    body_bytes: Annotated[int, Interval(ge=1_000, le=16_777_216)] = 1_048_576
    time: Annotated[float, Gt(0)] = 60.0
    answer_time: Annotated[float, Gt(0)] = 600.0
    top: Annotated[int, Interval(ge=1, le=1_000)] = 100
    max_tokens: Annotated[int, Interval(ge=1, le=10_000_000)] = 100_000
    steps: Annotated[int, Interval(ge=1, le=100)] = 16
    concurrency: Annotated[int, Interval(ge=0, le=256)] = 0
    queue: Annotated[int, Interval(ge=0, le=100_000)] = 512
    answers: Annotated[int, Interval(ge=1, le=1_000)] = 16
    lease: Annotated[float, Ge(1)] = 30.0
    connections: Annotated[int, Interval(ge=1, le=100_000)] = 1_024
    head_time: Annotated[float, Gt(0)] = 10.0
    metrics: Literal["loopback", "open"] = "loopback"
    ingestion_time: Annotated[float, Gt(0)] = 21_600.0
    drain: Annotated[float, Ge(0)] = 30.0


NOTHING_SERVED = ServeSettings()
