"""A store without some edges: held-out ones, and those of some relations."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from docgraph.model.access import Principal
from docgraph.model.edge import INVERSES, Edge, Relationship
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.link import EdgeCandidates
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import ReferenceCount
from docgraph.model.running_ingest import RunningIngest
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
from docgraph.ports.graph_reads import Direction, GraphReads
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.source_states import BranchKey
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import SnapshotWriter

Pairs = frozenset[tuple[str, str]]
Names = frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Ablation:
    """Removes edges between the documents of a pair, and of these relations and their inverses."""

    pairs: Pairs = frozenset()
    relations: frozenset[str] = frozenset()

    def allows(self, edge: Edge) -> bool:
        if not self.relations.isdisjoint((edge.relation, INVERSES.get(edge.relation))):
            return False
        source, target = document_of(edge.source), document_of(edge.target)
        return self.pairs.isdisjoint(((source, target), (target, source)))


class AblatedStore:
    """Edges are removed before ambiguity is resolved, as if they had never been mined."""

    def __init__(self, store: Store, pairs: Pairs, relations: frozenset[str] = frozenset()) -> None:
        self._store = store
        self._ablation = Ablation(pairs, relations)

    @contextmanager
    def open_session(
        self, principal: Principal, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> Iterator["AblatedSession"]:
        with self._store.open_session(principal, selectors) as reads:
            yield AblatedSession(reads, self._ablation)

    def open_writer(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> AbstractContextManager[SnapshotWriter]:
        return self._store.open_writer(tenant, repository, branch, embedder)

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        return self._store.snapshots(principal)

    def access_policy(self, tenant: str) -> AbstractContextManager[AccessPolicyStore]:
        return self._store.access_policy(tenant)

    def prune(self, tenant: str, repository: str, branch: str, keep: int) -> PruneResult:
        return self._store.prune(tenant, repository, branch, keep)

    def unembedded_branches(self) -> tuple[BranchKey, ...]:
        return self._store.unembedded_branches()

    def reindex(self) -> ReindexResult:
        return self._store.reindex()

    def running_ingests(self, tenant: str) -> tuple[RunningIngest, ...]:
        return self._store.running_ingests(tenant)

    def verify(self) -> VerifyReport:
        return self._store.verify()


class AblatedSession:
    """A session whose graph is ablated."""

    def __init__(self, reads: ReaderSession, ablation: Ablation) -> None:
        self._reads = reads
        self.graph = AblatedGraph(reads.graph, ablation)

    @property
    def scope(self) -> Scope:
        return self._reads.scope

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return self._reads.embedder

    @property
    def embeddings(self) -> EmbeddingState:
        return self._reads.embeddings

    @property
    def search(self) -> SearchReads:
        return self._reads.search

    def texts(self, plan: RetrievalPlan) -> TextReads:
        return self._reads.texts(plan)

    def counts(self) -> dict[str, int]:
        return self._reads.counts()

    def versions(self) -> dict[str, str]:
        return self._reads.versions()

    def contents(self) -> Iterator[tuple[str, str]]:
        return self._reads.contents()


class AblatedGraph:
    def __init__(self, graph: GraphReads, ablation: Ablation) -> None:
        self._graph = graph
        self._ablation = ablation

    def candidates(
        self, documents: tuple[str, ...], relations: Names = None, sources: Names = None
    ) -> tuple[EdgeCandidates, ...]:
        found = map(self._allowed, self._graph.candidates(documents, relations, sources))
        return tuple(one for one in found if one.targets)

    def _allowed(self, one: EdgeCandidates) -> EdgeCandidates:
        allows = self._ablation.allows
        return one._replace(
            targets=tuple(t for t in one.targets if allows(Edge(one.source, one.relation, t[0])))
        )

    def edges(
        self, nodes: tuple[str, ...], direction: Direction = "out", relations: Names = None
    ) -> tuple[Relationship, ...]:
        return self._filter(self._graph.edges(nodes, direction, relations))

    def edge_batches(
        self, relations: Names = None
    ) -> Iterator[tuple[str, tuple[Relationship, ...]]]:
        for first, edges in self._graph.edge_batches(relations):
            yield first, self._filter(edges)

    def inside(self, nodes: tuple[str, ...]) -> frozenset[str]:
        return self._graph.inside(nodes)

    def visible_ids(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return self._graph.visible_ids(ids)

    def reference_counts(self) -> tuple[ReferenceCount, ...]:
        return self._graph.reference_counts()

    def unresolved_calls(self) -> int:
        return self._graph.unresolved_calls()

    def _filter(self, relationships: Iterable[Relationship]) -> tuple[Relationship, ...]:
        return tuple(one for one in relationships if self._ablation.allows(one.edge))
