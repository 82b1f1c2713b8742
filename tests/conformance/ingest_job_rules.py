"""Rules that every queue of ingest jobs keeps. A lease of zero seconds has expired at once."""

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from docgraph.model.access import Person
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobOwner
from docgraph.ports.job_queue import IngestJobQueue

LONG = 600.0
ANN = Person("ann", "t", frozenset({"b", "a"}), frozenset({"eu"}), 3, frozenset({"ingest"}))
ANNS = JobOwner("t", "ann", "key")
REQUEST = IngestJobRequest("notes/é \udc80", "notes", "main", None, ("a",), ("eu",), 1, ("links",))
TIME = "2026-01-01T00:00:00+00:00"


def make_job(
    number: int,
    tenant: str = "t",
    request: IngestJobRequest = REQUEST,
    person: str = "ann",
    by: str = "key k",
) -> IngestJob:
    who = replace(ANN, tenant=tenant, id=person)
    return IngestJob(f"i{number}", who, by, request, "queued", 0, TIME, TIME)


def running(given: IngestJob, attempts: int = 1) -> IngestJob:
    return replace(given, state="running", attempts=attempts)


def timeless(given: IngestJob | None) -> IngestJob | None:
    return None if given is None else replace(given, updated=TIME)


class IngestJobRules:
    def test_a_job_reads_back_as_it_was_added(self, jobs: IngestJobQueue) -> None:
        plain = make_job(2, request=IngestJobRequest("notes", "notes"))
        for one in (make_job(1), plain):
            jobs.add(one)
        assert jobs.get("t", "i1") == make_job(1)
        assert jobs.get("t", "i2") == plain

    def test_an_empty_queue_has_no_jobs(self, jobs: IngestJobQueue) -> None:
        assert jobs.get("t", "i1") is None
        assert jobs.list_jobs(ANNS, 10) == ()
        assert jobs.claim("one", LONG) is None

    def test_an_invalid_id_finds_nothing(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        for name in ("", "I1", "i1\0", "\udc80", "' OR 1 = 1 --", "i" * 100_000):
            assert jobs.get("t", name) is None

    def test_one_tenant_sees_nothing_of_another(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.add(make_job(2, tenant="u"))
        assert jobs.get("u", "i1") is None
        assert jobs.list_jobs(replace(ANNS, tenant="u"), 10) == (make_job(2, tenant="u"),)
        assert jobs.list_jobs(replace(ANNS, tenant=""), 10) == ()

    def test_the_newest_are_listed_first(self, jobs: IngestJobQueue) -> None:
        for number in range(5):
            jobs.add(make_job(number))
        assert [one.id for one in jobs.list_jobs(ANNS, 3)] == ["i4", "i3", "i2"]
        assert [one.id for one in jobs.list_jobs(ANNS, 10**30)] == [
            "i4",
            "i3",
            "i2",
            "i1",
            "i0",
        ]
        assert jobs.list_jobs(ANNS, 0) == jobs.list_jobs(ANNS, -1) == ()

    def test_an_owners_jobs_are_listed_however_many_others_have(self, jobs: IngestJobQueue) -> None:
        """By the person, and by the kind of credential: another key is the same, an issuer not."""
        mine = [make_job(0), make_job(1, by="key k2")]
        for one in mine:
            jobs.add(one)
        for number in range(2, 42, 4):
            jobs.add(make_job(number, person="bob"))
            jobs.add(make_job(number + 1, by="token https://a.example"))
            jobs.add(make_job(number + 2, by=""))
            jobs.add(make_job(number + 3, tenant="u"))
        assert jobs.list_jobs(ANNS, 2) == jobs.list_jobs(ANNS, 100) == tuple(mine[::-1])
        assert jobs.list_jobs(ANNS, 1) == (mine[1],)
        for other in (
            replace(ANNS, principal="bob"),
            replace(ANNS, credential_kind="token https://a.example"),
            replace(ANNS, credential_kind=""),
        ):
            assert {one.owner for one in jobs.list_jobs(other, 100)} == {other}
            assert (len(jobs.list_jobs(other, 100)), jobs.pending(other)) == (10, 10)
        for nobody in ("\0", "\udc80", "token https://b.example", "key k"):
            assert jobs.list_jobs(replace(ANNS, credential_kind=nobody), 100) == ()

    def test_jobs_that_have_not_ended_are_pending(self, jobs: IngestJobQueue) -> None:
        assert jobs.pending(ANNS) == 0
        for number in range(3):
            jobs.add(make_job(number))
        assert jobs.pending(ANNS) == 3
        for number in range(2):
            jobs.claim("one", LONG)
            assert jobs.pending(ANNS) == 3 - number
            assert jobs.finish(f"i{number}", "one", error="no" * number)
        assert jobs.pending(ANNS) == 1

    def test_one_owners_jobs_do_not_delay_anothers(self, jobs: IngestJobQueue) -> None:
        """First each tenant has its turn, and in a tenant each who asks."""
        asking = [
            ("t", "ann"),
            ("t", "ann"),
            ("t", "ann"),
            ("t", "bob"),
            ("u", "ann"),
            ("u", "ann"),
        ]
        for number, (tenant, person) in enumerate(asking):
            jobs.add(make_job(number, tenant, person=person))
        found = [jobs.claim("one", LONG) for _ in asking]
        assert [one.id for one in found if one] == ["i0", "i4", "i3", "i5", "i1", "i2"]

    def test_the_oldest_job_is_claimed_first(self, jobs: IngestJobQueue) -> None:
        for number, tenant in enumerate("utu"):
            jobs.add(make_job(number, tenant))
        for number, tenant in enumerate("utu"):
            found = jobs.claim("one", LONG)
            assert timeless(found) == running(make_job(number, tenant))
            assert found == jobs.get(tenant, f"i{number}")
        assert jobs.claim("two", LONG) is None

    def test_a_finished_job_is_not_claimed_again(self, jobs: IngestJobQueue) -> None:
        for number in range(2):
            jobs.add(make_job(number))
            jobs.claim("one", LONG)
        assert jobs.finish("i0", "one", result='{"nodes": 3}')
        assert jobs.finish("i1", "one", error="the folder is gone \0\udc80")
        assert jobs.claim("two", LONG) is None
        done, failed = (timeless(jobs.get("t", name)) for name in ("i0", "i1"))
        assert done == replace(running(make_job(0)), state="succeeded", result='{"nodes": 3}')
        message = "the folder is gone \\x00\\udc80"
        assert failed == replace(running(make_job(1)), state="failed", error=message)

    def test_the_worker_reports_progress(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", LONG)
        assert jobs.renew("i1", "one", LONG, '{"files": 7}')
        assert not jobs.renew("i1", "two", LONG, "{}")
        assert not jobs.renew("i2", "one", LONG, "{}")
        found = jobs.get("t", "i1")
        assert timeless(found) == replace(running(make_job(1)), progress='{"files": 7}')

    def test_a_worker_with_an_expired_lease_counts_as_dead(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", 0.0)
        assert not jobs.renew("i1", "one", LONG, "late")
        assert not jobs.finish("i1", "one", result="late")
        assert not jobs.release("i1", "one")
        assert timeless(jobs.claim("two", LONG)) == running(make_job(1), attempts=2)
        assert not jobs.finish("i1", "one", result="late")
        assert jobs.finish("i1", "two", result="in time")
        found = jobs.get("t", "i1")
        assert found is not None
        assert (found.result, found.attempts) == ("in time", 2)

    def test_a_renewed_lease_continues(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", LONG)
        assert jobs.renew("i1", "one", 0.0, "")
        assert timeless(jobs.claim("two", LONG)) == running(make_job(1), attempts=2)
        assert jobs.renew("i1", "two", LONG, "")
        assert jobs.claim("three", LONG) is None

    def test_a_server_that_shuts_down_releases_its_job(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", LONG)
        assert not jobs.release("i1", "two")
        assert jobs.release("i1", "one")
        assert timeless(jobs.get("t", "i1")) == make_job(1)
        assert timeless(jobs.claim("two", LONG)) == running(make_job(1))

    def test_a_job_that_did_not_stop_when_cancelled_counts_as_an_attempt(
        self, jobs: IngestJobQueue
    ) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", LONG)
        assert jobs.release("i1", "one", counted=True)
        assert timeless(jobs.get("t", "i1")) == replace(make_job(1), attempts=1)
        assert timeless(jobs.claim("two", LONG)) == running(make_job(1), attempts=2)

    def test_a_finished_job_cannot_be_changed(self, jobs: IngestJobQueue) -> None:
        jobs.add(make_job(1))
        jobs.claim("one", LONG)
        assert jobs.finish("i1", "one", result="done")
        assert not jobs.finish("i1", "one", error="no")
        assert not jobs.renew("i1", "one", LONG, "no")
        assert not jobs.release("i1", "one")
        assert not jobs.finish("i1", "", error="no")

    def test_concurrent_threads_never_claim_the_same_job(
        self, another: Callable[[], IngestJobQueue]
    ) -> None:
        books = [another() for _ in range(4)]
        for number in range(40):
            books[0].add(make_job(number))

        def all_that_there_are(policies: IngestJobQueue) -> list[str]:
            return [one.id for one in iter(lambda: policies.claim("one", LONG), None)]

        with ThreadPoolExecutor(4) as pool:
            found = [name for names in pool.map(all_that_there_are, books) for name in names]
        assert sorted(found) == sorted(f"i{number}" for number in range(40))

    def test_concurrent_processes_never_claim_the_same_job(
        self, jobs: IngestJobQueue, claimer: Sequence[str]
    ) -> None:
        for number in range(60):
            jobs.add(make_job(number))
        running = [subprocess.Popen(claimer, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        found = [name for one in running for name in one.communicate(timeout=60)[0].split()]
        assert [one.returncode for one in running] == [0, 0, 0]
        assert sorted(found) == sorted(f"i{number}" for number in range(60))
