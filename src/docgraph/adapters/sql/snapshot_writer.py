"""Writing a snapshot: batches under an unpublished number, one small transaction to publish."""

import json
from collections.abc import Callable, Mapping

from docgraph.adapters.sql.access_writer import SqlAccessWriter
from docgraph.adapters.sql.checksums import with_checksum
from docgraph.adapters.sql.database import Database, single_row
from docgraph.adapters.sql.document_writer import SqlDocumentWriter
from docgraph.adapters.sql.embedding_writer import SqlEmbeddingWriter, StoredVectors
from docgraph.adapters.sql.index_changes import IndexChanges
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot
from docgraph.adapters.sql.relation_writer import SqlEdgeWriter, SqlReferenceWriter
from docgraph.adapters.sql.repository_access import OnReclassified, RepositoryAccess
from docgraph.adapters.sql.stored_json import load_values
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import SnapshotName, SourceLocation
from docgraph.ports.cancellation import begin_commit
from docgraph.ports.writes import SourceRevision


class SqlSnapshotWriter:
    """One branch's next snapshot. Its user holds the branch's ingest lock.

    `vectors` opens a vector space by its number. `on_reclassified` gets the versions whose
    access classes change, before that is published. `by_class` says that rows carry their
    document's access class. `external` is an index outside of the database.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        branch: str,
        embedder: EmbedderIdentity,
        now: Callable[[], str],
        *,
        vectors: Callable[[int], StoredVectors],
        on_reclassified: OnReclassified = lambda _branch, _classes: None,
        by_class: bool = False,
        external: ExternalIndex | None = None,
    ) -> None:
        self._database = database
        self._sql = database.queries("writes.sql")
        self._names = (repository, branch)
        self._embedder = embedder
        self._now = now
        self._index = index = IndexChanges(database, tenant, external)
        index.replay()
        self._pending = pending = PendingSnapshot(database, tenant, repository, branch, index)
        # No reader sees a batch before it is published, so none has to be on the disk before that.
        database.durable(False)
        row = self._sql.row("newest_snapshot", branch=pending.branch)
        self._revision = SourceRevision(*row[4:6]) if row else SourceRevision()
        self._last_embedding, self._content = row[6:] if row else (0, 0)
        self._stored_embedder = EmbedderIdentity(*row[:3]) if row else None
        same_embedder = self._stored_embedder in (None, embedder)
        miners: frozenset[str] = frozenset(load_values(row[3], str)) if row else frozenset()

        def reclassified(branch: int, classes: Mapping[int, int]) -> None:
            on_reclassified(branch, classes)
            index.reclassified(branch, classes)

        self._source = self._stored_source = self._find_source()
        repository_access = RepositoryAccess(
            database,
            tenant,
            repository,
            written_branch=pending.branch,
            on_reclassified=reclassified,
        )
        self.embeddings = SqlEmbeddingWriter(pending, vectors(self._vector_space()))
        self.references = SqlReferenceWriter(pending, miners)
        self.edges = SqlEdgeWriter(pending)
        self.access = SqlAccessWriter(
            pending, repository_access, classed=by_class or external is not None
        )
        self.documents = SqlDocumentWriter(
            pending,
            self.access,
            self.embeddings,
            same_embedder=same_embedder,
            by_class=by_class,
        )

    def _vector_space(self) -> int:
        space = {"tenant": self._pending.tenant, "embedder_digest": self._embedder.digest}
        with self._database.transaction():
            self._sql.run("add_space", **with_checksum("vector_spaces", space))
            return int(single_row(self._sql.row("find_space", **space))[0])

    def _find_source(self) -> SourceLocation | None:
        row = self._database.queries("access.sql").row(
            "source_of_branch", branch=self._pending.branch
        )
        return None if row is None else SourceLocation(*row)

    @property
    def source(self) -> SourceLocation | None:
        return self._stored_source

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return self._stored_embedder

    @property
    def is_first(self) -> bool:
        return self._pending.number == 1

    def set_source(self, source: SourceLocation | None) -> None:
        self._source = source

    def has_changes(self, revision: SourceRevision | None = None) -> bool:
        return (
            self.is_first
            or self._pending.changed
            or revision not in (None, self._revision)
            or self._newest_embedding() > self._last_embedding
        )

    def _newest_embedding(self) -> int:
        place = {"branch": self._pending.branch, "after": self._last_embedding}
        return int(single_row(self._sql.row("last_embedding", **place))[0])

    def publish(self, revision: SourceRevision | None = None) -> SnapshotName:
        """Segments first; then, in one small transaction, access classes, snapshot and number.

        That one is forced to the disk, and everything before it with it.

        Merging comes after: a merged segment holds published documents only.
        """
        pending = self._pending
        if self.is_first or pending.changed or revision not in (None, self._revision):
            self._content = pending.number
        self._revision = revision or self._revision
        self._last_embedding = self._newest_embedding()
        with pending.batch():
            pending.segments.flush()
        self._database.durable(True)
        with self._database.transaction():
            self._sql.run("increment_changes", tenant=pending.tenant)
            self.access.apply()
            self._add_snapshot()
            self._add_source()
            self._index.publish(pending.branch, pending.number)
            begin_commit()
        self.access.clear()
        self._index.replay()
        self._merge_segments()
        self._database.durable(False)
        published = SnapshotName(*self._names, pending.number)
        pending.begin_next()
        return published

    def _add_snapshot(self) -> None:
        branch, number = self._pending.branch, self._pending.number
        row = {
            "branch": branch,
            "number": number,
            "embedder_name": self._embedder.name,
            "embedder_digest": self._embedder.digest,
            "dimensions": self._embedder.dimensions,
            "created": self._now(),
            "miners": json.dumps(sorted(self.references.miners)),
            "ref": self._revision.ref,
            "revision": self._revision.revision,
            "last_embedding": self._last_embedding,
            "content": self._content,
        }
        self._sql.run("add_snapshot", **with_checksum("snapshots", row))
        self._sql.run("set_newest", branch=branch, number=number)

    def _add_source(self) -> None:
        if self._source is not None and self._source != self._stored_source:
            row = {
                "branch": self._pending.branch,
                "location": self._source.location,
                "ref": self._source.ref,
            }
            self._database.queries("access.sql").run(
                "set_source", **with_checksum("branch_sources", row)
            )
            self._stored_source = self._source

    def _merge_segments(self) -> None:
        """Counted as a change, so that readers look for segments anew. They cache them by number,
        so a merge has to survive a crash as well."""
        segments = self._pending.segments
        if segments.crowded():
            with self._database.transaction():
                self._sql.run("increment_changes", tenant=self._pending.tenant)
                segments.merge(segments.crowded())  # a class that changed meanwhile divides them
