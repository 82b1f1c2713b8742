"""Content: ingest, relations, snapshots and status, each for one principal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from docgraph.engine.audit_trail import AuditNote, AuditTrail
from docgraph.engine.source_monitor import SourceMonitor
from docgraph.engine.unknown_nodes import unknown_node
from docgraph.ingest.progress import ReportProgress, no_progress
from docgraph.model.access import ACCESS, INGEST, AccessRule, Clearance, Principal
from docgraph.model.access import RELATIONS as RELATE
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
from docgraph.model.embedding_state import COMPLETE
from docgraph.model.errors import BadInput, NotAuthorized, WrongSource
from docgraph.model.node import repository_of
from docgraph.model.question import EmbedderIdentity
from docgraph.model.running_ingest import RunningIngest
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    SnapshotInfo,
    SnapshotName,
    SnapshotSelector,
    SourceLocation,
    Status,
    nothing_visible,
)
from docgraph.model.source_state import SourceState
from docgraph.model.validation import suggest
from docgraph.plan.resolved_edges import all_resolved_edges, incident_edges
from docgraph.ports.models import NO_VECTOR_CACHE, Embedder, VectorCache
from docgraph.ports.source import Source
from docgraph.ports.source_states import BranchKey
from docgraph.ports.store import Store
from docgraph.ports.writes import SnapshotWriter, SourceRevision

if TYPE_CHECKING:
    from docgraph.ingest.embed_pending import EmbeddingResult
    from docgraph.ingest.parse_file import FileParser
    from docgraph.ingest.registries import Registries
    from docgraph.ingest.result import IngestResult
    from docgraph.model.diff import SnapshotDiff

LONGEST_NAME = 200
EmbeddingExtent = Literal["all", "few", "none"]
OpenVectorCache = Callable[[str, EmbedderIdentity], AbstractContextManager[VectorCache]]


def open_no_vector_cache(
    _tenant: str, _embedder: EmbedderIdentity
) -> AbstractContextManager[VectorCache]:
    return nullcontext(NO_VECTOR_CACHE)


def _shipped_registries() -> "Registries":
    from docgraph.ingest.registries import SHIPPED

    return SHIPPED


def _place(source: SourceLocation | None) -> str | None:
    return None if source is None else source.location


def _describe(source: SourceLocation | None) -> str:
    return "a program" if source is None else source.describe()


@dataclass(frozen=True, slots=True)
class ContentService:
    """What a store holds, as one reader sees it, and what changes it.

    `embedder_clearance` bounds what an ingest may send to an embedder that runs elsewhere.
    `open_parser` gives the parser of one ingest, which must load the same `registries`; without it,
    files are parsed in this process. `open_vector_cache` gives a tenant's cache of vectors of an
    embedder.
    """

    store: Store
    audit: AuditTrail
    embedder: Callable[[], Embedder]
    embedder_clearance: Clearance | None = None
    registries: "Callable[[], Registries]" = _shipped_registries
    open_parser: "Callable[[], AbstractContextManager[FileParser | None]]" = nullcontext
    open_vector_cache: OpenVectorCache = open_no_vector_cache
    sources: SourceMonitor = field(default_factory=SourceMonitor)

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
        location: SourceLocation | None = None,
        progress: ReportProgress = no_progress,
        embed: EmbeddingExtent = "all",
    ) -> "IngestResult":
        """A new snapshot of a branch, if anything changed; further ones of the same content follow
        with more and more vectors, if it shall `embed` all. A few texts take no time that matters
        before the first is published: with "few" they are embedded alone, with "none" not either.

        `location` is where the source lies: a branch is filled from one place, until someone with
        the right `access` names another. Without that right, an ingest opens nothing that is
        stored already: neither by `rule_for`, nor with a text that was closed, nor under another
        name.

        `rule_for` says who may read, by path; the source's own access.yaml and front matter
        narrow it. `otherwise` is the rule of documents without any statement; without it, nobody
        reads those. `restriction` counts beside every statement.
        `without` names miners to switch off; `origin` is the commit of the source.
        """
        # Readers of every format take longer to import than a question takes to answer.
        from docgraph.ingest.garbage_collection import collected_rarely
        from docgraph.ingest.listed_source import ListedSource
        from docgraph.ingest.run import EMBEDDED_AT_ONCE, ingest

        for name in (repository, branch):
            if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
                raise BadInput(f"{name!r} cannot name a repository or branch")
        tenant = principal.tenant
        detail = f"{repository} {branch}"
        with (
            self.audit.record(principal, "ingest", right=INGEST, changes=detail) as note,
            self.open_parser() as parser,
            collected_rarely(),
        ):
            embedder, registries = self.embedder(), self.registries()
            with (
                self.open_vector_cache(tenant, embedder.identity) as cache,
                self.store.open_writer(tenant, repository, branch, embedder.identity) as writer,
            ):
                self._check_source(principal, SnapshotName(repository, branch, 0), writer, location)
                writer.set_source(location)
                listed = ListedSource(source)
                result = ingest(
                    listed,
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
                    parser=parser,
                    may_open=ACCESS in principal.rights,
                    cache=cache,
                    most_characters=-1 if embed == "none" else EMBEDDED_AT_ONCE,
                )
            note.counts = result.counts()
            if location is not None:
                self.sources.record(
                    BranchKey(tenant, repository, branch),
                    listed.ingested(location, origin or SourceRevision(), registries.formats),
                )
        if embed != "all" or result.embeddings.name == COMPLETE:
            return result
        return result.with_embeddings(self.embed(principal, repository, branch, progress))

    def embed(
        self,
        principal: Principal,
        repository: str,
        branch: str,
        progress: ReportProgress = no_progress,
    ) -> "EmbeddingResult":
        """Embeds what a branch has no vectors of, with all rights of an ingest and no others."""
        from docgraph.ingest.embed_pending import EmbeddingJob
        from docgraph.ingest.run import find_clearance_problems

        tenant = principal.tenant
        detail = f"{repository} {branch}"
        with self.audit.record(principal, "embed", right=INGEST, changes=detail) as note:
            embedder = self.embedder()
            with self.open_vector_cache(tenant, embedder.identity) as cache:
                result = EmbeddingJob(
                    lambda: self.store.open_writer(tenant, repository, branch, embedder.identity),
                    embedder,
                    cache,
                    find_problems=partial(find_clearance_problems, self.embedder_clearance),
                    progress=progress,
                ).run()
            note.counts = {"vectors": result.vectors, "problems": len(result.problems)}
            return result

    def _check_source(
        self,
        principal: Principal,
        place: SnapshotName,
        writer: SnapshotWriter,
        location: SourceLocation | None,
    ) -> None:
        where = f"{place.repository} {place.branch}"
        if not writer.is_first and _place(writer.source) != _place(location):
            raise WrongSource(
                f"{where} is filled from {_describe(writer.source)}, and this is "
                f"{_describe(location)}; name another repository (--repository), or, where the "
                f"source has moved: docgraph access set-source NEW_PATH --repository "
                f"{place.repository} --branch {place.branch}",
                _place(writer.source) or "",
            )
        if ACCESS in principal.rights:
            return
        if not writer.is_first and writer.source != location:
            raise NotAuthorized(
                f"{where} is filled from {_describe(writer.source)}, and this is "
                f"{_describe(location)}; to fill it from another ref needs the right {ACCESS!r}"
            )
        with self.store.access_policy(principal.tenant) as policy:
            known = policy.sources()
        own = {_place(one.source) for one in known if one.repository == place.repository}
        if own and _place(location) not in own:
            raise NotAuthorized(
                f"{place.repository} is filled from another source than {_describe(location)}; "
                f"a branch from there needs the right {ACCESS!r}"
            )
        others = [one.source for one in known if one.repository != place.repository]
        if location and any(one and location.overlaps(one) for one in others):
            raise NotAuthorized(
                f"{location.describe()}, or a part of it, fills another repository; to give it a "
                f"second name needs the right {ACCESS!r}"
            )

    def status(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> Status:
        with self.audit.read(self.store, principal, "status", scope) as (reads, _):
            ingests = self.running_ingests(principal)
            counted, embedder = reads.counts(), reads.embedder
            found = Status(reads.scope, counted, embedder, reads.embeddings, ingests)
        states = self.source_states(principal, found.scope.snapshots, thorough=True)
        return replace(found, source_states=states)

    def source_states(
        self, principal: Principal, snapshots: Sequence[SnapshotName], *, thorough: bool = False
    ) -> tuple[SourceState, ...]:
        """Whether the sources of these snapshots have moved on. Who may not ingest gets none: a
        count of changed files may concern documents that they may not see."""
        if INGEST not in principal.rights:
            return ()
        keys = [BranchKey(principal.tenant, name.repository, name.branch) for name in snapshots]
        return self.sources.find(keys, thorough=thorough)

    def running_ingests(self, principal: Principal) -> tuple[RunningIngest, ...]:
        """Of the principal's tenant. Who may not ingest gets none: that one runs may concern
        documents that they may not see."""
        if INGEST not in principal.rights:
            return ()
        return self.store.running_ingests(principal.tenant)

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
        found: list[Relationship] = []
        self.visit_relations(principal, found.append, scope, only, node)
        return tuple(found)

    def visit_relations(
        self,
        principal: Principal,
        visit: Callable[[Relationship], None],
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        only: frozenset[str] | None = None,
        node: str | None = None,
    ) -> None:
        """The same edges, one after the other: not all of them are in memory at once."""
        with self.audit.read(self.store, principal, "relations", scope) as (reads, note):
            found: Iterable[Relationship]
            if node is None:
                found = all_resolved_edges(reads.graph, only)
            else:
                note.missing((node,), reads.graph.visible_ids((node,)))
                if note.unseen:
                    raise unknown_node(reads, node)
                found = incident_edges(node, reads.graph, only)
            for one in found:
                visit(one)

    def relation_page(
        self,
        principal: Principal,
        scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        only: frozenset[str] | None = None,
        node: str | None = None,
        *,
        offset: int,
        limit: int,
    ) -> tuple[tuple[Relationship, ...], int]:
        """The edges from `offset` on, `limit` at most, and how many there are altogether."""
        page: list[Relationship] = []
        total = 0

        def visit(one: Relationship) -> None:
            nonlocal total
            if offset <= total < offset + limit:
                page.append(one)
            total += 1

        self.visit_relations(principal, visit, scope, only, node)
        return tuple(page), total

    def relation_counts(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> RelationCounts:
        """Every edge this reader's planning would see, by relation and by who found it."""
        with self.audit.read(self.store, principal, "relations", scope) as (reads, _):
            graph = reads.graph
            found = all_resolved_edges(graph, frozenset(RELATIONS))
            return count_relations(found, graph.reference_counts(), graph.unresolved_calls())

    def snapshots(
        self, principal: Principal, repository: str | None = None, branch: str | None = None
    ) -> tuple[SnapshotInfo, ...]:
        """Those of a repository or branch, or all; a name without any is an error."""
        with self.audit.record(principal, "snapshots"):
            visible = self.store.snapshots(principal)
            found = tuple(
                info
                for info in visible
                if repository in (None, info.name.repository) and branch in (None, info.name.branch)
            )
            if not found and (repository, branch) != (None, None):
                selector = SnapshotSelector(repository, branch)
                raise nothing_visible(selector, (info.name for info in visible))
            return found

    def diff_snapshots(
        self, principal: Principal, old: SnapshotName, new: SnapshotName
    ) -> "SnapshotDiff":
        """What this reader sees gained, lost and changed from one snapshot to another."""
        from docgraph.model.diff import SnapshotContent, compare_snapshots

        sides = []
        for name in (old, new):
            selector = SnapshotSelector(name.repository, name.branch, name.snapshot)
            with self.audit.read(self.store, principal, "diff-snapshots", (selector,)) as (
                reads,
                _,
            ):
                edges = frozenset(found.edge for found in all_resolved_edges(reads.graph))
                sides.append(SnapshotContent(reads.versions(), edges))
        return compare_snapshots(*sides)

    def content_digest(
        self, principal: Principal, scope: Sequence[SnapshotSelector] = ALL_REPOSITORIES
    ) -> str:
        """One digest of everything this reader sees: two ingests of one tree give the same."""
        with self.audit.read(self.store, principal, "digest", scope) as (reads, _):
            edges = tuple(all_resolved_edges(reads.graph, frozenset(RELATIONS)))
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
        with self.audit.record(principal, action, right=RELATE, changes=detail) as note:
            home, embedder = self._home(principal, edge, scope, note)
            place = (principal.tenant, home.repository, home.branch)
            with self.store.open_writer(*place, embedder) as writer:
                yield writer

    def _home(
        self,
        principal: Principal,
        edge: Edge,
        scope: Sequence[SnapshotSelector],
        note: AuditNote,
    ) -> tuple[SnapshotName, EmbedderIdentity]:
        """The source's branch. Absent and forbidden ends read alike."""
        if edge.relation not in RELATIONS:
            fitting = suggest(edge.relation, RELATIONS)
            raise BadInput(f"no relation is called {edge.relation!r}; {fitting}")
        with self.store.open_session(principal, scope) as reads:
            ends = (edge.source, edge.target)
            note.missing(ends, reads.graph.visible_ids(ends))
            if note.unseen:
                raise unknown_node(reads, note.unseen[0])
            repository = repository_of(edge.source)
            home = next(s for s in reads.scope.snapshots if s.repository == repository)
        with self.store.open_session(
            principal, (SnapshotSelector(home.repository, home.branch),)
        ) as reads:
            return home, reads.embedder or self.embedder().identity
