"""An ingestion that was asked for and is done later: what is to be done, and how far it is."""

from dataclasses import dataclass
from typing import Literal

from docgraph.model.access import Person, Principal, credential_kind

State = Literal["queued", "running", "succeeded", "failed"]
ENDED: tuple[State, ...] = ("succeeded", "failed")


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
    """Whose an ingestion is: a person who comes in by one kind of credential. Whoever another
    issuer calls by the same name is somebody else."""

    tenant: str
    person: str
    credential: str


def job_owner(principal: Principal) -> JobOwner:
    return JobOwner(principal.tenant, principal.id, credential_kind(principal.by))


@dataclass(frozen=True, slots=True)
class IngestJob:
    """`asked_by` is who asked, with the rights they had then; `by` as in a Principal.

    `attempts` counts how often it was begun: one whose server died, or that would not stop when
    its server ended, is begun anew by another, up to a limit. `progress` and `result` are JSON,
    `error` is in words.
    """

    id: str
    asked_by: Person
    by: str
    request: IngestJobRequest
    state: State
    attempts: int
    created: str
    updated: str
    progress: str = ""
    result: str = ""
    error: str = ""

    @property
    def tenant(self) -> str:
        return self.asked_by.tenant

    @property
    def asker(self) -> JobOwner:
        return JobOwner(self.tenant, self.asked_by.id, credential_kind(self.by))
