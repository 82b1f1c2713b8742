"""The queue of ingest jobs: several servers share it, and each runs jobs that no other runs."""

from typing import Protocol

from docgraph.model.ingest_job import IngestJob, JobOwner


class IngestJobQueue(Protocol):
    """The server that runs a job is its `worker`, and renews its lease before it ends.

    A worker whose lease has ended counts as dead: its later calls change nothing here.
    """

    def add(self, job: IngestJob) -> None: ...

    def get(self, tenant: str, job_id: str) -> IngestJob | None: ...

    def list_jobs(self, owner: JobOwner, last: int) -> tuple[IngestJob, ...]:
        """The owner's last jobs, the newest first; jobs of others do not count."""
        ...

    def pending(self, owner: JobOwner) -> int:
        """How many of the owner's jobs have not ended."""
        ...

    def claim(self, worker: str, lease: float) -> IngestJob | None:
        """A job that is queued, or that runs under an expired lease; it is running then.

        The tenant that has waited longest since its last job began comes first, in it the owner,
        and of the owner's jobs the oldest. Counts one more attempt. Two workers that claim at once
        never get the same job.
        """
        ...

    def renew(self, job_id: str, worker: str, lease: float, progress: str) -> bool:
        """False where another worker has the job by now."""
        ...

    def finish(self, job_id: str, worker: str, *, result: str = "", error: str = "") -> bool:
        """Succeeded, or failed with an error. False where another worker has the job by now."""
        ...

    def release(self, job_id: str, worker: str, *, counted: bool = False) -> bool:
        """Puts the job back into the queue, when its server shuts down. The attempt is `counted`
        where the work did not stop when it was cancelled."""
        ...
