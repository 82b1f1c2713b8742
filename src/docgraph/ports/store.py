"""The store: two ways in, and no read without a principal; and the backend that holds it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docgraph.model.access import Principal
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.running_ingest import Process, RunningIngest
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    PruneResult,
    ReindexResult,
    Scope,
    SnapshotInfo,
    SnapshotSelector,
    VerifyReport,
)
from docgraph.ports.access_store import AccessPolicyStore
from docgraph.ports.audit import AuditLog
from docgraph.ports.auth import ApiKeyStore
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.indexes import VectorIndex
from docgraph.ports.job_queue import IngestJobQueue
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.source_states import BranchKey
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import SnapshotWriter


class ReaderSession(Protocol):
    """One reader's view of one scope; it does not change while it is open."""

    @property
    def scope(self) -> Scope: ...

    @property
    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors the scope holds; None when nothing is visible."""
        ...

    @property
    def embeddings(self) -> EmbeddingState:
        """Of the visible documents alone."""
        ...

    @property
    def search(self) -> SearchReads: ...

    @property
    def graph(self) -> GraphReads: ...

    def texts(self, plan: RetrievalPlan) -> TextReads: ...

    def counts(self) -> dict[str, int]:
        """Visible nodes by kind, and chunks."""
        ...

    def versions(self) -> dict[str, str]:
        """Every visible document's id, and a digest of its text."""
        ...

    def contents(self) -> Iterator[tuple[str, str]]:
        """Every visible document's id, sorted, and a digest of all that is stored of it."""
        ...


class Store(Protocol):
    def open_session(
        self, principal: Principal, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> AbstractContextManager[ReaderSession]: ...

    def open_writer(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> AbstractContextManager[SnapshotWriter]: ...

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        """Those in which the reader sees something, by repository, branch and number."""
        ...

    def access_policy(self, tenant: str) -> AbstractContextManager[AccessPolicyStore]: ...

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> PruneResult:
        """Removes for good all snapshots but the newest few, and what only they held."""
        ...

    def reindex(self) -> ReindexResult:
        """Fills the external vector index anew from the catalogue, for all tenants."""
        ...

    def unembedded_branches(self) -> tuple[BranchKey, ...]:
        """Of all tenants, sorted: those whose newest snapshot has documents without all vectors."""
        ...

    def running_ingests(self, tenant: str) -> tuple[RunningIngest, ...]:
        """Of this tenant, by any process; also prunes, which keep ingests waiting."""
        ...

    def verify(self) -> VerifyReport:
        """Checks everything, whatever its readers; changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """How a store is opened; the clocks come from outside, as everything that differs by call."""

    now: Callable[[], str]
    clock: Callable[[], float]  # seconds, the same for all processes that share a job queue
    wait: float = 600  # seconds that a second ingest queues behind a first
    index: str = "packed"
    external: Callable[[], VectorIndex] | None = None  # opens the index that `index` names
    process: Process | None = None  # what others read who wait for its ingest
    shared_vectors: Path | None = None  # a folder of the processes of one server


class Stores(Protocol):
    """Everything that one address holds. Each part is opened when it is first asked for."""

    @property
    def store(self) -> Store: ...

    @property
    def audit(self) -> AuditLog:
        """In a file or tables of its own: writing to it waits for no ingest."""
        ...

    @property
    def api_keys(self) -> ApiKeyStore: ...

    @property
    def jobs(self) -> IngestJobQueue: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `docgraph doctor`."""

    part: str
    good: bool
    detail: str


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """Migrations by name: those that were applied now, and those that are still pending."""

    store: str
    applied: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of store, chosen by the scheme of its address."""

    schemes: tuple[str, ...]  # none: a store is a path
    indexes: tuple[str, ...]  # the vector indexes that it brings
    redact: Callable[[str], str]  # an address without its password
    open: Callable[[str, StoreOptions], Stores]
    exists: Callable[[str], bool]  # False where the first ingest makes it
    check: Callable[[str], Iterator[Finding]]  # what opening it needs, for `docgraph doctor`
    migrate: Callable[[str, bool], MigrationReport]  # True only reports what is pending
    may_have_vectors: Callable[[str], bool] = lambda _: True  # False where that is cheap to know
