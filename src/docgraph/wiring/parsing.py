"""The processes that parse files: their settings, and the pool that they are made with."""

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Interval

from docgraph.wiring.model_settings import STRICT
from docgraph.wiring.plugins import ingest_registries

if TYPE_CHECKING:
    from collections.abc import Callable

    from docgraph.ingest.registries import Registries
    from docgraph.ingest.workers.pool import ParserPool
    from docgraph.wiring.settings import Settings


@dataclass(frozen=True, slots=True)
class ParsingSettings:
    """As docgraph.yaml says them, below `parsing`.

    `workers` 0 is one for every core, 8 at most. `memory_mib` limits each of them, `cpu_seconds`
    limit the CPU time of each file.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    workers: Annotated[int, Interval(ge=0, le=64)] = 0
    memory_mib: Annotated[int, Interval(ge=256, le=1_048_576)] = 1_024
    cpu_seconds: Annotated[int, Interval(ge=1, le=86_400)] = 60


DEFAULT_PARSING = ParsingSettings()


@cache
def _loader(plugins: tuple[str, ...] | None) -> "Callable[[], Registries]":
    """The same object for the same plug-ins: an idle worker serves pools with an equal one."""
    return partial(ingest_registries, plugins)


def open_parser_pool(settings: "Settings") -> "ParserPool":
    """With the plug-ins that the settings allow."""
    from docgraph.ingest.workers.limits import ParserLimits
    from docgraph.ingest.workers.pool import ParserPool

    chosen = settings.parsing
    limits = ParserLimits(chosen.memory_mib, chosen.cpu_seconds)
    return ParserPool(_loader(settings.plugins), limits, chosen.workers)


def describe_parsing(settings: "Settings") -> str:
    """Once a worker has started."""
    from docgraph.ingest.workers.limits import missing_limits
    from docgraph.ingest.workers.pool import count_workers

    with open_parser_pool(settings) as pool:
        pool.wait_until_ready()
    chosen = settings.parsing
    missing = " or ".join(missing_limits())
    note = f"; this system has no limit of {missing}" if missing else ""
    return (
        f"{count_workers(chosen.workers)} workers, at most {chosen.memory_mib} MiB each, and "
        f"{chosen.cpu_seconds} s of CPU time for a file{note}"
    )
