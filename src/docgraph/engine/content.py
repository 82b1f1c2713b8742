"""Content: ingest, relations, snapshots and status, each for one principal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docgraph.engine.audit_trail import AuditTrail
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import INGEST, AccessRule, Clearance, Principal
from docgraph.model.access import RELATIONS as RELATE
from docgraph.model.diff import SnapshotContent, SnapshotDiff, compare_snapshots
from docgraph.model.digest import digest
from docgraph.model.edge import (
    MANUAL,
    RELATIONS,
    Edge,
    EdgeEvidence,
    RelationCounts,
    Relationship,
    count_relations,
    with_inverse,
)
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.node import repository_of
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    SnapshotInfo,
    SnapshotName,
    SnapshotSelector,
    Status,
)
from docgraph.model.validation import suggest
from docgraph.plan.ambiguity import confirm_inverses, incident_edges, resolve_ambiguity
from docgraph.ports.models import Embedder
from docgraph.ports.source import Source
from docgraph.ports.store import Store
from docgraph.ports.writes import SnapshotWriter, SourceRevision

if TYPE_CHECKING:
    from docgraph.ingest.run import Registries

LONGEST_NAME = 200


def _shipped_registries() -> "Registries":
    from docgraph.ingest.run import SHIPPED

    return SHIPPED


@dataclass(frozen=True, slots=True)
class ContentService:
    """What a store holds, as one reader sees it, and what changes it.

    `embedder_clearance` bounds what an ingest may send to an embedder that runs elsewhere.
    """

    store: Store
    audit: AuditTrail
    embedder: Callable[[], Embedder]
    embedder_clearance: Clearance | None = None
    registries: "Callable[[], Registries]" = _shipped_registries

    def ingest(
        self,
        principal: Principal,
        source: Source,
        *,
        repository: str,
        branch: str,
        rule_for: Callable[[str], AccessRule] | None = None,
        otherwise: AccessRule | None = None,
        restriction: AccessRule | None = None,
        without: Sequence[str] = (),
        given: Sequence[Relationship] = (),
        origin: SourceRevision | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestResult:
        """A new snapshot of a branch, if anything changed.

        `rule_for` says who may read, by path; the source's own access.yaml and front matter
        narrow it. `otherwise` is the rule of documents without any statement; without it, nobody
        reads those. `restriction` counts beside every statement.
        `without` names miners to switch off; `origin` is the commit of the source.
        """
        # Readers of every format take longer to import than a question takes to answer.
        from docgraph.ingest.run import ingest

        for name in (repository, branch):
            if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
                raise BadInput(f"{name!r} cannot name a repository or branch")
        tenant = principal.tenant
        detail = f"{repository} {branch}"
        with self.audit.record(principal, "ingest", right=INGEST, changes=detail) as note:
            embedder, registries = self.embedder(), self.registries()
            with self.store.open_writer(tenant, repository, branch, embedder.identity) as writer:
                result = ingest(
                    source,
                    writer,
                    embedder,
                    repository=repository,
                    tenant=tenant,
                    rule_for=rule_for,
                    default_rule=otherwise,
                    restriction=restriction,
                    miners=registries.miners.without(without),
                    stated_edges=given,
                    revision=origin,
                    progress=progress,
                    clearance=self.embedder_clearance,
                    registries=registries,
                )
            note.counts = result.counts()
            return result

    def status(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> Status:
        with self.audit.read(self.store, principal, "status", scope) as (reads, _):
            return Status(reads.scope, reads.counts(), reads.embedder)

    def relations(
        self,
        principal: Principal,
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        only: frozenset[str] | None = None,
        node: str | None = None,
    ) -> tuple[Relationship, ...]:
        """Every edge this reader's planning would see: `only` these, or all but `contains`.

        With a `node`, those alone that leave or enter it, or any part of it if it is a document.
        """
        with self.audit.read(self.store, principal, "relations", scope) as (reads, _):
            if node is None:
                return confirm_inverses(resolve_ambiguity(reads.graph.all_edges(only)), reads.graph)
            return incident_edges(node, reads.graph, only)

    def relation_counts(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> RelationCounts:
        """Every edge this reader's planning would see, by relation and by who found it."""
        with self.audit.read(self.store, principal, "relations", scope) as (reads, _):
            found = confirm_inverses(
                resolve_ambiguity(reads.graph.all_edges(frozenset(RELATIONS))), reads.graph
            )
            return count_relations(
                found, reads.graph.reference_counts(), reads.graph.unresolved_calls()
            )

    def snapshots(self, principal: Principal) -> tuple[SnapshotInfo, ...]:
        with self.audit.record(principal, "snapshots"):
            return self.store.snapshots(principal)

    def diff_snapshots(
        self, principal: Principal, old: SnapshotName, new: SnapshotName
    ) -> SnapshotDiff:
        """What this reader sees gained, lost and changed from one snapshot to another."""
        sides = []
        for name in (old, new):
            selector = SnapshotSelector(name.repository, name.branch, name.snapshot)
            with self.audit.read(self.store, principal, "diff-snapshots", (selector,)) as (
                reads,
                _,
            ):
                edges = confirm_inverses(resolve_ambiguity(reads.graph.all_edges()), reads.graph)
                sides.append(
                    SnapshotContent(reads.versions(), frozenset(found.edge for found in edges))
                )
        return compare_snapshots(*sides)

    def content_digest(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> str:
        """One digest of everything this reader sees: two ingests of one tree give the same."""
        with self.audit.read(self.store, principal, "digest", scope) as (reads, _):
            edges = confirm_inverses(
                resolve_ambiguity(reads.graph.all_edges(frozenset(RELATIONS))), reads.graph
            )
            return digest((tuple(reads.contents()), edges))

    def add_relation(
        self,
        principal: Principal,
        edge: Edge,
        evidence: tuple[EdgeEvidence, ...] = (),
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    ) -> SnapshotName:
        """A relation to nothing is refused. Lifecycle relations store their inverse too."""
        with self._relating(principal, "relations add", edge, scope) as writer:
            both = with_inverse(edge)
            writer.edges.add_manual([Relationship(one, (MANUAL,), evidence) for one in both])
            return writer.publish()

    def remove_relation(
        self,
        principal: Principal,
        edge: Edge,
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    ) -> SnapshotName:
        with self._relating(principal, "relations rm", edge, scope) as writer:
            if not writer.edges.remove_manual(with_inverse(edge)):
                raise BadInput(
                    f"no manual relation {edge.source} {edge.relation} {edge.target} exists; "
                    "a mined relation goes when its text no longer says so"
                )
            return writer.publish()

    @contextmanager
    def _relating(
        self, principal: Principal, action: str, edge: Edge, scope: Sequence[SnapshotSelector]
    ) -> Iterator[SnapshotWriter]:
        detail = f"{edge.source} {edge.relation} {edge.target}"
        with self.audit.record(principal, action, right=RELATE, changes=detail):
            home, embedder = self._home(principal, edge, scope)
            place = (principal.tenant, home.repository, home.branch)
            with self.store.open_writer(*place, embedder) as writer:
                yield writer

    def _home(
        self, principal: Principal, edge: Edge, scope: Sequence[SnapshotSelector]
    ) -> tuple[SnapshotName, EmbedderIdentity]:
        """The source's branch. Absent and forbidden ends read alike."""
        if edge.relation not in RELATIONS:
            fitting = suggest(edge.relation, RELATIONS)
            raise BadInput(f"no relation is called {edge.relation!r}; {fitting}")
        with self.store.open_session(principal, scope) as reads:
            for end in (edge.source, edge.target):
                if not reads.graph.visible_ids((end,)):
                    raise NotVisible(f"no visible node has the id {end!r}")
            repository = repository_of(edge.source)
            home = next(s for s in reads.scope.snapshots if s.repository == repository)
        with self.store.open_session(
            principal, (SnapshotSelector(home.repository, home.branch),)
        ) as reads:
            return home, reads.embedder or self.embedder().identity
