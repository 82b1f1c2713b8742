"""Ingest jobs: requested now, run later. Every call needs the right `ingest`."""

from collections.abc import Callable
from dataclasses import dataclass

from docgraph.engine.audit_trail import audited_action
from docgraph.model.access import INGEST, Person, Principal
from docgraph.model.errors import BadInput, NotAuthenticated, NotAuthorized, NotVisible
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, job_owner
from docgraph.ports.audit import AuditLog
from docgraph.ports.job_queue import IngestJobQueue
from docgraph.ports.store import Store

NOTHING_THERE = "there is nothing to ingest under this path"
NO_MORE = "the owner of this job may not ingest any more"
MOST_WAITING = 100  # of one person


@dataclass(frozen=True, slots=True)
class ReadableCounts:
    """Of a branch's newest snapshot: its documents, those that the job's owner cannot read, and
    those that nobody can."""

    documents: int
    closed_to_requester: int
    closed_to_all: int


@dataclass(frozen=True, slots=True)
class IngestJobService:
    """A job is visible to the person who requested it, by the same kind of credential, alone."""

    queue: IngestJobQueue
    store: Store
    audit: AuditLog
    now: Callable[[], str]
    new_id: Callable[[], str]

    def add(
        self,
        principal: Principal,
        request: IngestJobRequest,
        is_there: Callable[[IngestJobRequest], bool],
    ) -> IngestJob:
        """`is_there` is called once the principal's right is checked."""
        detail = f"{request.repository} {request.branch or ''}".rstrip()
        with audited_action(self.audit, principal, "ingestions add", right=INGEST, changes=detail):
            if not is_there(request):
                raise NotVisible(NOTHING_THERE)
            self._check_waiting(principal)
            now = self.now()
            found = IngestJob(
                id=self.new_id(),
                requester=_person(principal),
                authenticated_by=principal.by,
                request=request,
                state="queued",
                attempts=0,
                created=now,
                updated=now,
            )
            self.queue.add(found)
            return found

    def _check_waiting(self, principal: Principal) -> None:
        waiting = self.queue.pending(job_owner(principal))
        if waiting >= MOST_WAITING:
            raise BadInput(f"{waiting} ingestions of yours wait already; let some of them end")

    def begin(self, owner: Principal, who: Callable[[], Principal]) -> Principal:
        """The job's owner with today's rights, as `who` finds them; a refusal is audited."""
        with audited_action(self.audit, owner, "ingestions begin", silently=True):
            try:
                principal = who()
                principal.require(INGEST)
            except (NotAuthenticated, NotAuthorized) as error:
                raise NotAuthorized(NO_MORE) from error
            return principal

    def get(self, principal: Principal, ingestion_id: str) -> IngestJob:
        with audited_action(self.audit, principal, "ingestions show", right=INGEST, silently=True):
            found = self.queue.get(principal.tenant, ingestion_id)
            if found is None or found.owner != job_owner(principal):
                raise NotVisible("there is no ingestion of yours with this id")
            return found

    def list_jobs(self, principal: Principal, last: int) -> tuple[IngestJob, ...]:
        """The newest first."""
        with audited_action(self.audit, principal, "ingestions list", right=INGEST, silently=True):
            return self.queue.list_jobs(job_owner(principal), last)

    def readable(self, principal: Principal, repository: str, branch: str) -> ReadableCounts:
        """Counts alone, which an ingest prints as well."""
        with (
            audited_action(self.audit, principal, "ingestions count", right=INGEST, silently=True),
            self.store.access_policy(principal.tenant) as policy,
        ):
            rules = policy.rules(repository, branch)
        return ReadableCounts(
            documents=sum(one.documents for one in rules),
            closed_to_requester=sum(o.documents for o in rules if not principal.may_read(o.rule)),
            closed_to_all=sum(one.documents for one in rules if not one.rule.readers),
        )


def _person(principal: Principal) -> Person:
    return Person(
        id=principal.id,
        tenant=principal.tenant,
        groups=principal.groups,
        labels=principal.labels,
        clearance=principal.clearance,
        rights=principal.rights,
    )
