"""The store: two ways in, and no read without a principal."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from docgraph.model.access import Principal
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    PruneResult,
    Scope,
    SnapshotInfo,
    SnapshotSelector,
    VerifyReport,
)
from docgraph.ports.access_store import AccessPolicyStore
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import Writes


class ReaderSession(Protocol):
    """One reader's view of one scope; it does not change while it is open."""

    @property
    def scope(self) -> Scope: ...

    @property
    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors the scope holds; None when nothing is visible."""
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
        self, principal: Principal, wanted: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> AbstractContextManager[ReaderSession]: ...

    def open_writer(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> AbstractContextManager[Writes]: ...

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        """Those in which the reader sees something, by repository, branch and number."""
        ...

    def access_policy(self, tenant: str) -> AbstractContextManager[AccessPolicyStore]: ...

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> PruneResult:
        """Removes for good all snapshots but the newest few, and what only they held."""
        ...

    def verify(self) -> VerifyReport:
        """Looks at everything, whoever may read it; changes nothing."""
        ...
