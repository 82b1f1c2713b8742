"""The next snapshot of a branch while it is written: the state that its writers share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docgraph.adapters.indexes.segment_writer import SegmentWriter
from docgraph.adapters.sql.checksums import covered_columns, require_intact, with_checksum
from docgraph.adapters.sql.database import Database, Queries, Row, single_row
from docgraph.adapters.sql.index_changes import IndexChanges
from docgraph.ports.indexes import FOREVER

_UNPUBLISHED = (
    "delete_unpublished_postings",
    "delete_unpublished_segments",
    "delete_unpublished_chunk_vectors",
    "delete_unpublished_node_vectors",
    "delete_unpublished_summary_vectors",
    "delete_unpublished_embeddings",
    "delete_unpublished_chunks",
    "delete_unpublished_definitions",
    "delete_unpublished_references",
    "delete_unpublished_nodes",
    "delete_unpublished_documents",
    "delete_unpublished_relationships",
)


class PendingSnapshot:
    """`number` is the snapshot's own; no reader sees its rows before it is published.

    `changed` says whether it differs from the newest snapshot. `segments` packs its documents,
    `index` has them in an external index.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        branch: str,
        index: IndexChanges,
    ) -> None:
        """Removes the rows of an ingest that did not finish; no reader ever saw them."""
        self.database = database
        self.tenant = tenant
        self.index = index
        self._sql = database.queries("writes.sql")
        with self.batch():
            names = {"tenant": tenant, "repository": repository, "name": branch}
            self._sql.run("add_branch", **with_checksum("branches", names))
            self.branch, newest = single_row(self._sql.row("find_branch", **names))
            place = {"branch": self.branch, "newest": newest, "forever": FOREVER}
            for query in _UNPUBLISHED:
                self._sql.run(query, **place)
            set_valid_to(self._sql, self._sql.rows("ended_states", **place), FOREVER)
            ended = self._sql.rows("ended_relationships", **place)
            set_relationships_valid_to(self._sql, ended, FOREVER)
            index.begin(self.branch, newest)
        self.begin(newest + 1)
        self._has_published = False

    def begin_next(self) -> None:
        """After `number` was published."""
        self.begin(self.number + 1)
        self._has_published = True

    def begin(self, number: int) -> None:
        self.number = number
        self.changed = False
        self.segments = SegmentWriter(self.database, self.branch, number)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """One transaction, during which no document's access class changes."""
        with self.database.transaction():
            self._sql.row("lock_access_classes", tenant=self.tenant)
            yield

    @property
    def parameters(self) -> dict[str, object]:
        """The values that queries on its rows take."""
        return {"branch": self.branch, "next": self.number, "forever": FOREVER}

    @property
    def last_written(self) -> dict[str, object]:
        """The same of the snapshot that documents were written for last: after publication, the
        published one until something more is written."""
        is_published = self._has_published and not self.changed
        return {**self.parameters, "next": self.number - is_published}


def set_valid_to(sql: Queries, states: Sequence[Row], snapshot: int) -> None:
    """Of versions, by their states as checksums.sql has them. `sql` is writes.sql."""
    require_intact("document_states", states)
    sql.many(
        "set_valid_to",
        [
            with_checksum(
                "document_states",
                {
                    "version": version,
                    "valid_to": snapshot,
                    "stated_class": stated_class,
                    "access_class": access_class,
                },
            )
            for version, _, stated_class, access_class, _ in states
        ],
    )


def set_relationships_valid_to(sql: Queries, rows: Sequence[Row], snapshot: int) -> None:
    """Of relationships, by their number and what checksums.sql has of them."""
    table = "stated_relationships"
    require_intact(table, (row[1:] for row in rows))
    names = covered_columns(table)
    sql.many(
        "set_relationship_valid_to",
        [
            {"id": number}
            | with_checksum(table, dict(zip(names, own, strict=True)) | {"valid_to": snapshot})
            for number, *own, _ in rows
        ],
    )
