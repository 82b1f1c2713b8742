"""How far an ingestion is, as whoever asked for it is told."""

import json
from dataclasses import dataclass

from docgraph.doors.http.taking_in import TakenIn
from docgraph.ingest.result import Progress
from docgraph.model.ingestion import Ingestion, IngestionRequest, State


@dataclass(frozen=True, slots=True)
class IngestionStatus:
    """`progress` and `result` are null until there are any; `error` is empty unless it failed."""

    id: str
    state: State
    attempts: int
    created: str
    updated: str
    request: IngestionRequest
    progress: Progress | None
    result: TakenIn | None
    error: str


@dataclass(frozen=True, slots=True)
class ListedIngestions:
    ingestions: tuple[IngestionStatus, ...]


def status_of(found: Ingestion) -> IngestionStatus:
    return IngestionStatus(
        id=found.id,
        state=found.state,
        attempts=found.attempts,
        created=found.created,
        updated=found.updated,
        request=found.request,
        progress=json.loads(found.progress) if found.progress else None,
        result=json.loads(found.result) if found.result else None,
        error=found.error,
    )
