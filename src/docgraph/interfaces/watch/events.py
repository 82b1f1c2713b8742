"""What a watcher tells: a snapshot was published, an ingest failed, a folder is gone."""

from dataclasses import dataclass
from typing import Literal

from docgraph.ingest.result import IngestResult
from docgraph.ports.source import SourceProblem


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """Of one watched folder. `seconds` is how long the ingest took. `problems` are those that the
    ingest before did not have. `message` is of a failure."""

    event: Literal["published", "unchanged", "failed", "gone", "back"]
    path: str
    repository: str
    branch: str = ""
    seconds: float = 0.0
    result: IngestResult | None = None
    problems: tuple[SourceProblem, ...] = ()
    kind: str = ""
    message: str = ""
