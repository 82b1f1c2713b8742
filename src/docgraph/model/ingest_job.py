"""An ingest job: what is to be ingested for whom, and how far it is."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.access import Person, Principal, credential_kind

JobState = Literal["queued", "running", "succeeded", "failed"]
FINISHED_STATES: tuple[JobState, ...] = ("succeeded", "failed")


@dataclass(frozen=True, slots=True)
class IngestJobRequest:
    """`path` lies below a root of the server's. Readers None: as access.yaml says, else nobody."""

    path: str
    repository: str
    branch: str | None = None
    ref: str | None = None
    readers: tuple[str, ...] | None = None
    labels: tuple[str, ...] = ()
    level: int = 0
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobOwner:
    """A person with one kind of credential. The same name from another issuer is another owner."""

    tenant: str
    principal: str
    credential_kind: str


def job_owner(principal: Principal) -> JobOwner:
    return JobOwner(principal.tenant, principal.id, credential_kind(principal.by))


@dataclass(frozen=True, slots=True)
class IngestJob:
    """`requester` is the person who requested it, with their rights at that time;
    `authenticated_by` is `by` of their Principal.

    `attempts` counts how often it was started: another server restarts a job whose server died
    or could not stop it, up to a limit. `progress` and `result` are JSON, `error` is a sentence.
    """

    id: str
    requester: Person
    authenticated_by: str
    request: IngestJobRequest
    state: JobState
    attempts: int
    created: str
    updated: str
    progress: str = ""
    result: str = ""
    error: str = ""

    @property
    def tenant(self) -> str:
        return self.requester.tenant

    @property
    def owner(self) -> JobOwner:
        return JobOwner(self.tenant, self.requester.id, credential_kind(self.authenticated_by))
