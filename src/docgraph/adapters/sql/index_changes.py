"""How an external index follows the catalogue: it grows, the catalogue commits, it shrinks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from docgraph.adapters.sql.database import Database, Queries, Row, next_page
from docgraph.adapters.sql.index_outbox import (
    LONGEST_QUESTION,
    OVERDUE,
    ExternalIndex,
    IndexOutbox,
    by_class,
)
from docgraph.adapters.sql.tenant_state import incomplete_index
from docgraph.model.errors import BadInput, StoreError
from docgraph.ports.indexes import FOREVER, Rows, VectorRows
from docgraph.ports.search_reads import Level

_PAGE = 500  # versions that are read at once


class IndexChanges:
    """Of one tenant. Methods run inside their caller's transaction, but for `replay`.

    Without an external index, a change only says that those of other processes lack it.
    """

    def __init__(self, database: Database, tenant: str, external: ExternalIndex | None) -> None:
        self._database = database
        self._sql = database.queries("external.sql")
        self._tenant = tenant
        self._external = external
        self._outbox = IndexOutbox(database, external) if external else None
        self._unpublished: dict[int, int] = {}  # classes by version, as they were added

    def begin(self, branch: int, newest: int) -> None:
        """Before an ingest: rows of one that did not finish go."""
        if self._external is None:
            return
        place = {"tenant": self._tenant, "index": self._external.name}
        if self._sql.row("published", tenant=self._tenant) is None:
            if self._sql.run("add_complete", **place):  # no other ingest is the first one too
                self._external.index.rebuild(self._tenant, ())
        elif self._sql.row("is_complete", **place) is None:
            raise StoreError(incomplete_index(self._external.name))
        self._external.index.discard(self._tenant, branch, newest)

    def wrote(self, classes: Mapping[int, int]) -> None:
        """New versions, with the classes that they will have."""
        if self._external is not None:
            self._unpublished.update(classes)

    def add(self, lives: Sequence[Row]) -> None:
        """Versions whose vectors were just written: ordinal, branch, born, died, class."""
        if self._external is not None:
            for rows in vector_rows(self._sql, self._tenant, lives):
                self._external.index.add(rows)

    def reclassified(self, _branch: int, classes: Mapping[int, int]) -> None:
        """These versions have other classes now."""
        moved = [
            (version, class_)
            for version, class_ in classes.items()
            if self._unpublished.get(version) != class_
        ]
        if not moved:
            return
        if self._outbox is None or self._external is None:
            self._drop_others("")
            return
        for class_, versions in by_class(moved).items():
            self._external.index.widen(self._tenant, versions, class_)
            self._outbox.put(self._tenant, "narrow", versions, wait=LONGEST_QUESTION)
        self._drop_others(self._external.name)

    def publish(self, branch: int, snapshot: int) -> None:
        self._unpublished.clear()
        self._drop_others(self._external.name if self._external else "")
        if self._outbox is not None:
            rows = self._sql.rows("versions_ended", branch=branch, snapshot=snapshot)
            versions = [ordinal for (ordinal,) in rows]
            self._outbox.put(self._tenant, "retire", versions, argument=snapshot)

    def prune(self, versions: Sequence[int]) -> None:
        self._drop_others(self._external.name if self._external else "")
        if self._outbox is not None:
            self._outbox.put(self._tenant, "remove", versions)

    def _drop_others(self, name: str) -> None:
        self._sql.run("drop_other_complete", tenant=self._tenant, index=name)

    def replay(self) -> None:
        """Outside of any transaction, after the catalogue has committed."""
        if self._outbox is not None:
            self._outbox.replay()

    def unremoved(self) -> int:
        """Versions that were pruned and whose rows the index still holds."""
        return self._outbox.waiting(self._tenant, "remove") if self._outbox else 0

    def rebuild(self) -> int:
        """From the catalogue; no ingest of the tenant is under way. How many rows it has then."""
        assert self._external is not None, "there is an external index to rebuild"
        self._database.queries("writes.sql").row("lock_access_classes", tenant=self._tenant)
        counted = _Counted(self._all_rows())
        self._external.index.rebuild(self._tenant, counted)
        place = {"tenant": self._tenant, "index": self._external.name}
        self._sql.run("drop_entries", **place)
        self._sql.run("add_complete", **place)
        return counted.count

    def _all_rows(self) -> Iterator[VectorRows]:
        after, more = 0, {"most": _PAGE, "forever": FOREVER}
        while page := self._sql.rows("lives_after", tenant=self._tenant, after=after, **more):
            yield from vector_rows(self._sql, self._tenant, page)
            after = next_page(after, page[-1][0])

    def problems(self) -> Iterator[str]:
        """For `verify`: what the index lacks."""
        if self._external is None or self._sql.row("published", tenant=self._tenant) is None:
            return
        name = self._external.name
        place = {"tenant": self._tenant, "index": name}
        if self._sql.row("is_complete", **place) is None:
            yield incomplete_index(name)
            return
        expected: Mapping[int, int] = dict(self._sql.rows("rows_by_branch", tenant=self._tenant))
        yield from self._external.index.check(self._tenant, expected)
        before = self._external.clock() - OVERDUE
        overdue = self._sql.row("overdue", **place, before=before)
        if overdue and overdue[0]:
            yield f"index {name}: {overdue[0]} changes have waited for more than a day"


def index_tenants(database: Database) -> list[str]:
    return [tenant for (tenant,) in database.queries("external.sql").rows("tenants")]


def require_external(external: ExternalIndex | None) -> ExternalIndex:
    if external is None:
        raise BadInput(
            "the vector index of these settings is part of the store, and needs no rebuilding"
        )
    return external


def index_problems(database: Database, external: ExternalIndex | None) -> Iterator[str]:
    """Of all tenants."""
    for tenant in index_tenants(database):
        yield from IndexChanges(database, tenant, external).problems()


class _Counted:
    """Rows, counted as they are read."""

    def __init__(self, rows: Iterable[VectorRows]) -> None:
        self.count = 0
        self._rows = rows

    def __iter__(self) -> Iterator[VectorRows]:
        for rows in self._rows:
            self.count += len(rows)
            yield rows


def vector_rows(sql: Queries, tenant: str, lives: Sequence[Row]) -> Iterator[VectorRows]:
    """All rows of these versions, by level and width. `sql` is external.sql."""
    known = {ordinal: tuple(life) for ordinal, *life in lives}
    nodes = sql.rows("nodes_of_versions", versions=list(known))
    chunks = sql.rows("chunks_of_versions", versions=list(known))
    roots = [row for row in nodes if row[2] == row[3]]
    levels: tuple[tuple[Level, list[Row]], ...] = (
        ("documents", roots),
        ("sections", nodes),
        ("chunks", chunks),
    )
    for level, rows in levels:
        for width in sorted({len(row[4]) // 2 for row in rows}):
            own = [row for row in rows if len(row[4]) == 2 * width]
            yield _columns(tenant, level, own, known)


def _columns(
    tenant: str, level: Level, rows: Sequence[Row], lives: Mapping[int, tuple[int, ...]]
) -> VectorRows:
    version, row, node, document = _ints([one[:4] for one in rows])
    branch, born, died, access_class = _ints([lives[one[0]] for one in rows])
    vectors = np.frombuffer(b"".join(one[4] for one in rows), dtype="<i2").reshape(len(rows), -1)
    return VectorRows(
        tenant=tenant,
        level=level,
        row=row,
        node=node,
        document=document,
        version=version,
        branch=branch,
        born=born,
        died=died,
        access_class=access_class,
        vectors=vectors,
    )


def _ints(rows: Sequence[Sequence[int]]) -> Rows:
    return np.array(rows, dtype=np.int64).T
