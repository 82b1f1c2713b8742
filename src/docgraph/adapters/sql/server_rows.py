"""Ingest jobs and API keys as rows; the transaction around them is the caller's."""

import json
from dataclasses import asdict
from typing import Any

from docgraph.adapters.sql.database import Queries, Row
from docgraph.model.access import ApiKey, Person
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobOwner
from docgraph.model.validation import escape_unstorable, is_storable

_MOST = 2**63 - 1  # the largest number of a column


class IngestJobRows:
    """Runs the queries of `server.sql`.

    `now` and `stamp` are the same moment, in seconds and as text; a database with a clock of its
    own ignores them.
    """

    def __init__(self, queries: Queries, now: float = 0.0, stamp: str = "") -> None:
        self._sql = queries
        self._now = now
        self._stamp = stamp

    def add(self, job: IngestJob) -> None:
        self._sql.run(
            "add_job",
            id=job.id,
            **_columns(job.owner),
            requester=_json(job.requester),
            authenticated_by=escape_unstorable(job.authenticated_by),
            request=_json(job.request),
            state=job.state,
            attempts=job.attempts,
            created=job.created,
            updated=job.updated,
            progress=escape_unstorable(job.progress),
            result=escape_unstorable(job.result),
            error=escape_unstorable(job.error),
        )

    def get(self, tenant: str, job_id: str) -> IngestJob | None:
        if not is_storable(tenant, job_id):
            return None
        row = self._sql.row("find_job", tenant=tenant, id=job_id)
        return None if row is None else _job(row)

    def list_jobs(self, owner: JobOwner, last: int) -> tuple[IngestJob, ...]:
        most = min(max(last, 0), _MOST)
        rows = self._sql.rows("jobs_of_owner", **_columns(owner), most=most)
        return tuple(map(_job, rows))

    def pending(self, owner: JobOwner) -> int:
        row = self._sql.row("count_pending_jobs", **_columns(owner))
        assert row is not None
        return int(row[0])

    def claim(self, worker: str, lease: float) -> IngestJob | None:
        row = self._sql.row(
            "claim_job", worker=worker, seconds=lease, now=self._now, stamp=self._stamp
        )
        return None if row is None else _job(row)

    def renew(self, job_id: str, worker: str, lease: float, progress: str) -> bool:
        changed = self._sql.run(
            "renew_lease",
            id=job_id,
            worker=worker,
            seconds=lease,
            progress=escape_unstorable(progress),
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0

    def finish(self, job_id: str, worker: str, result: str, error: str) -> bool:
        changed = self._sql.run(
            "finish_job",
            id=job_id,
            worker=worker,
            state="failed" if error else "succeeded",
            result=escape_unstorable(result),
            error=escape_unstorable(error),
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0

    def release(self, job_id: str, worker: str, counted: bool) -> bool:
        changed = self._sql.run(
            "release_job",
            id=job_id,
            worker=worker,
            back=0 if counted else 1,
            now=self._now,
            stamp=self._stamp,
        )
        return changed > 0


def _columns(owner: JobOwner) -> dict[str, str]:
    """Escapes characters that no store takes, both in rows and in queries for them."""
    return {name: escape_unstorable(value) for name, value in asdict(owner).items()}


def _json(value: Person | IngestJobRequest) -> str:
    """In ASCII, so that every file name can be stored in every database."""
    return json.dumps(asdict(value), default=sorted, sort_keys=True)


def _job(row: Row) -> IngestJob:
    job_id, requester, by, request, *rest = row
    return IngestJob(job_id, _person(requester), by, _request(request), *rest)


def _person(text: str) -> Person:
    values = json.loads(text)
    sets = {name: frozenset(values[name]) for name in ("groups", "labels", "rights")}
    return Person(**{**values, **sets})


def _request(text: str) -> IngestJobRequest:
    values: dict[str, Any] = json.loads(text)
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return IngestJobRequest(**{**values, **lists})


class ApiKeyRows:
    """Runs the queries of `server.sql`."""

    def __init__(self, queries: Queries) -> None:
        self._sql = queries

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        row = {**asdict(key), "note": escape_unstorable(key.note)}
        self._sql.run("add_key", **row, secret_hash=secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        row = self._sql.row("find_key", id=key_id) if is_storable(key_id) else None
        return None if row is None else (ApiKey(*row[:-1]), bytes(row[-1]))

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        return tuple(ApiKey(*row) for row in self._sql.rows("keys_of_tenant", tenant=tenant))

    def remove(self, tenant: str, key_id: str) -> bool:
        return is_storable(key_id) and self._sql.run("delete_key", tenant=tenant, id=key_id) > 0
