"""The book of ingestions as rows; the transaction around them is the caller's."""

import json
from dataclasses import asdict
from typing import Any

from docgraph.adapters.sql.database import Queries, Row
from docgraph.model.access import Person
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobOwner
from docgraph.model.validation import escape_unstorable, is_storable

_MOST = 2**63 - 1  # what a number in a column can be


class IngestionRows:
    """Through the queries of `server.sql`.

    `now` and `stamp` are the same moment, as a number and as it is shown; a database with a clock
    of its own goes by that.
    """

    def __init__(self, queries: Queries, now: float = 0.0, stamp: str = "") -> None:
        self._sql = queries
        self._now = now
        self._stamp = stamp

    def add(self, ingestion: IngestJob) -> None:
        self._sql.run(
            "add_ingestion",
            id=ingestion.id,
            **_columns(ingestion.owner),
            asked_by=_json(ingestion.asked_by),
            asker=escape_unstorable(ingestion.by),
            request=_json(ingestion.request),
            state=ingestion.state,
            attempts=ingestion.attempts,
            created=ingestion.created,
            updated=ingestion.updated,
            progress=escape_unstorable(ingestion.progress),
            result=escape_unstorable(ingestion.result),
            error=escape_unstorable(ingestion.error),
        )

    def get(self, tenant: str, ingestion_id: str) -> IngestJob | None:
        if not is_storable(tenant, ingestion_id):
            return None
        row = self._sql.row("ingestion", tenant=tenant, id=ingestion_id)
        return None if row is None else _ingestion(row)

    def list_jobs(self, asker: JobOwner, last: int) -> tuple[IngestJob, ...]:
        most = min(max(last, 0), _MOST)
        rows = self._sql.rows("ingestions_of_asker", **_columns(asker), most=most)
        return tuple(map(_ingestion, rows))

    def pending(self, asker: JobOwner) -> int:
        row = self._sql.row("waiting_of_asker", **_columns(asker))
        assert row is not None
        return int(row[0])

    def claim(self, owner: str, lease: float) -> IngestJob | None:
        row = self._sql.row("claim", owner=owner, seconds=lease, now=self._now, stamp=self._stamp)
        return None if row is None else _ingestion(row)

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        changed = self._sql.run(
            "renew",
            id=ingestion_id,
            owner=owner,
            seconds=lease,
            progress=escape_unstorable(progress),
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0

    def finish(self, ingestion_id: str, owner: str, result: str, error: str) -> bool:
        changed = self._sql.run(
            "finish",
            id=ingestion_id,
            owner=owner,
            state="failed" if error else "succeeded",
            result=escape_unstorable(result),
            error=escape_unstorable(error),
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0

    def release(self, ingestion_id: str, owner: str, counted: bool) -> bool:
        changed = self._sql.run(
            "release",
            id=ingestion_id,
            owner=owner,
            back=0 if counted else 1,
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0


def _columns(asker: JobOwner) -> dict[str, str]:
    """What no store takes is spelt out, where it is kept and where it is looked for."""
    return {name: escape_unstorable(value) for name, value in asdict(asker).items()}


def _json(value: Person | IngestJobRequest) -> str:
    """In ASCII: every name of a file can be written so, in every database."""
    return json.dumps(asdict(value), default=sorted, sort_keys=True)


def _ingestion(row: Row) -> IngestJob:
    ingestion_id, asked_by, asker, request, *rest = row
    return IngestJob(ingestion_id, _person(asked_by), asker, _request(request), *rest)


def _person(text: str) -> Person:
    told = json.loads(text)
    sets = {name: frozenset(told[name]) for name in ("groups", "labels", "rights")}
    return Person(**{**told, **sets})


def _request(text: str) -> IngestJobRequest:
    told: dict[str, Any] = json.loads(text)
    lists = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
    return IngestJobRequest(**{**told, **lists})
