"""The next snapshot of a branch while it is written: the state that its writers share."""

from collections.abc import Iterator
from contextlib import contextmanager

from docgraph.adapters.indexes.segment_writer import SegmentWriter
from docgraph.adapters.sql.database import Database, single_row
from docgraph.adapters.sql.index_changes import IndexChanges
from docgraph.ports.indexes import FOREVER

_UNPUBLISHED = (
    "delete_unpublished_postings",
    "delete_unpublished_segments",
    "delete_unpublished_chunks",
    "delete_unpublished_definitions",
    "delete_unpublished_references",
    "delete_unpublished_nodes",
    "delete_unpublished_documents",
    "delete_unpublished_relationships",
    "revive_documents",
    "revive_relationships",
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
            self._sql.run("add_branch", **names)
            self.branch, newest = single_row(self._sql.row("find_branch", **names))
            for query in _UNPUBLISHED:
                self._sql.run(query, branch=self.branch, newest=newest, forever=FOREVER)
            index.begin(self.branch, newest)
        self.begin(newest + 1)

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
