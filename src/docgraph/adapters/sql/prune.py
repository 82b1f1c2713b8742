"""Pruning: old snapshots go for good, with every row, posting and vector that only they held."""

from dataclasses import replace

import numpy as np

from docgraph.adapters.indexes.segment_writer import SegmentRows
from docgraph.adapters.sql.database import Database
from docgraph.adapters.sql.index_changes import IndexChanges
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import PruneResult

_BY_DOCUMENT = ("delete_chunks", "delete_definitions", "delete_references", "delete_nodes")


def prune(
    database: Database,
    tenant: str,
    repository: str,
    branch: str,
    keep: int,
    external: ExternalIndex | None = None,
) -> PruneResult:
    """One transaction: a reader sees all of the old snapshots, or none. An index outside of it
    follows; what it could not remove yet is counted in the result."""
    if keep < 1:
        raise BadInput("keep at least one snapshot")
    index = IndexChanges(database, tenant, external)
    with database.transaction():
        found = _prune(database, index, tenant, (repository, branch), keep)
    index.replay()
    return replace(found, pending=index.unremoved())


def _prune(
    database: Database, index: IndexChanges, tenant: str, names: tuple[str, str], keep: int
) -> PruneResult:
    repository, branch = names
    sql = database.queries("maintenance.sql")
    row = sql.row("find_branch", tenant=tenant, repository=repository, name=branch)
    if row is None:
        raise NotVisible(f"nothing visible in repository {repository!r} on branch {branch!r}")
    for count in ("increment_changes", "increment_access_changes"):
        database.queries("writes.sql").run(count, tenant=tenant)
    number, newest, before = row
    oldest = max(before, newest - keep + 1)
    place = {"branch": number, "oldest": oldest}
    if dead := [version for (version,) in sql.rows("prunable_versions", **place)]:
        _thin(SegmentRows(database), number, dead)
        index.prune(dead)
    for query in _BY_DOCUMENT:
        sql.run(query, **place)
    documents = sql.run("delete_documents", **place)
    sql.run("delete_relationships", **place)
    snapshots = sql.run("delete_snapshots", **place)
    sql.run("set_oldest", **place)
    texts = sql.run("delete_unused_texts", tenant=tenant)
    vectors = sql.run("delete_unused_vectors", tenant=tenant)
    return PruneResult(snapshots, documents, texts, vectors)


def _thin(segments: SegmentRows, branch: int, dead: list[int]) -> None:
    """Segments that hold these documents are written anew without them."""
    for number, group, _ in segments.of_branch(branch):
        held = np.unique(segments.arrays(number).node_document)
        kept = held[~np.isin(held, dead)]
        if len(kept) == 0:
            segments.drop([number])
        elif len(kept) < len(held):
            segments.divide(number, {group: kept})
