"""Ingest jobs and API keys as rows; the transaction around them is the caller's."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TypeVar, get_args

from docgraph.adapters.sql.checksums import (
    covered_columns,
    is_intact,
    require_intact,
    row_checksum,
    with_checksum,
)
from docgraph.adapters.sql.database import DamagedRow, Queries, Row
from docgraph.adapters.sql.stored_checksums import describe_changed
from docgraph.model.access import ApiKey, Person
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobOwner, JobState
from docgraph.model.validation import escape_unstorable, is_storable

T = TypeVar("T")
_TABLES = ("api_keys", "ingest_jobs")
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
        row = {
            "id": job.id,
            **_columns(job.owner),
            "requester": _json(job.requester),
            "authenticated_by": escape_unstorable(job.authenticated_by),
            "request": _json(job.request),
            "state": job.state,
            "attempts": job.attempts,
            "created": job.created,
            "updated": job.updated,
            "progress": escape_unstorable(job.progress),
            "result": escape_unstorable(job.result),
            "error": escape_unstorable(job.error),
        }
        self._sql.run("add_job", **with_checksum("ingest_jobs", row))

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
        found = self._sql.row("running_job", id=job_id, worker=worker)
        if found is None:
            return False
        require_intact("ingest_jobs", (found,))
        row = dict(zip(covered_columns("ingest_jobs"), found, strict=False))
        row |= {"result": escape_unstorable(result), "error": escape_unstorable(error)}
        changed = self._sql.run(
            "finish_job",
            id=job_id,
            worker=worker,
            state="failed" if error else "succeeded",
            result=row["result"],
            error=row["error"],
            checksum=row_checksum("ingest_jobs", row),
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
    job_id, requester, by, request, state, *rest = row
    if state not in get_args(JobState):
        raise DamagedRow("an ingest job has a state that there is not")
    requester, request = _load(Person, requester), _load(IngestJobRequest, request)
    return IngestJob(job_id, requester, by, request, state, *rest)


def _load(kind: type[T], text: str) -> T:
    """A list becomes what the field is made of: a tuple or a set."""
    try:
        values = json.loads(text)
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = frozenset(value) if kind is Person else tuple(value)
        return kind(**values)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedRow("what was requested of an ingest job cannot be read") from error


class ApiKeyRows:
    """Runs the queries of `server.sql`."""

    def __init__(self, queries: Queries) -> None:
        self._sql = queries

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        row = {
            **asdict(key),
            "note": escape_unstorable(key.note),
            "secret_hash": secret_hash,
        }
        self._sql.run("add_key", **with_checksum("api_keys", row))

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        row = self._sql.row("find_key", id=key_id) if is_storable(key_id) else None
        return None if row is None else (ApiKey(*row[:-1]), bytes(row[-1]))

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        return tuple(ApiKey(*row) for row in self._sql.rows("keys_of_tenant", tenant=tenant))

    def remove(self, tenant: str, key_id: str) -> bool:
        return is_storable(key_id) and self._sql.run("delete_key", tenant=tenant, id=key_id) > 0


def server_problems(sql: Queries) -> Iterator[str]:
    """For `verify`: whether keys and jobs are as they were written; `sql` is server.sql."""
    for table in _TABLES:
        intact = (is_intact(table, row) for row in sql.rows(table))
        yield from describe_changed(f"rows of {table}", intact)
