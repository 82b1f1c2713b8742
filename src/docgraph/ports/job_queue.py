"""The book of ingestions: several servers share it, and each takes what nobody else works on."""

from typing import Protocol

from docgraph.model.ingest_job import IngestJob, JobOwner


class IngestJobQueue(Protocol):
    """A server that works on an ingestion is its `owner`, and says so again before the lease ends.

    Whose lease has ended is taken for dead: what it does afterwards changes nothing here.
    """

    def add(self, ingestion: IngestJob) -> None: ...

    def get(self, tenant: str, ingestion_id: str) -> IngestJob | None: ...

    def list_jobs(self, asker: JobOwner, last: int) -> tuple[IngestJob, ...]:
        """Theirs, the newest first; however many there are of others."""
        ...

    def pending(self, asker: JobOwner) -> int:
        """How many of theirs have not ended."""
        ...

    def claim(self, owner: str, lease: float) -> IngestJob | None:
        """One that is queued, or that runs under a lease which has ended; now running.

        Of the tenant, and in it of the asker, for whom none was begun for the longest time; of
        those the oldest. Counts one more attempt. Two that claim at once never get the same.
        """
        ...

    def renew(self, ingestion_id: str, owner: str, lease: float, progress: str) -> bool:
        """False where it is another's by now."""
        ...

    def finish(self, ingestion_id: str, owner: str, *, result: str = "", error: str = "") -> bool:
        """Succeeded, or failed where there is an error. False where it is another's by now."""
        ...

    def release(self, ingestion_id: str, owner: str, *, counted: bool = False) -> bool:
        """Back into the queue: its server ends in good order. The attempt is `counted` where the
        work did not stop when it was told to."""
        ...
