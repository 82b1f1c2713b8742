"""Pruning: old snapshots go for good, with every row, posting and vector that only they held."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from docgraph.adapters.indexes.segment_writer import SegmentRows
from docgraph.adapters.sql.database import Database, Queries
from docgraph.adapters.sql.index_changes import IndexChanges
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import PruneResult
from docgraph.model.validation import is_storable

_BY_DOCUMENT = (
    "delete_chunk_vectors",
    "delete_node_vectors",
    "delete_summary_vectors",
    "delete_embeddings",
    "delete_chunks",
    "delete_definitions",
    "delete_references",
    "delete_nodes",
)


def prune(
    database: Database,
    tenant: str,
    repository: str,
    branch: str,
    keep: int,
    external: ExternalIndex | None = None,
) -> PruneResult:
    """One transaction: a reader sees all of the old snapshots, or none. An index outside of it
    follows; what it could not remove yet is counted in the result.

    Snapshots of one content, which differ in what is embedded, count as one.
    """
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
    place = {"tenant": tenant, "repository": repository, "name": branch}
    row = sql.row("find_branch", **place) if is_storable(repository, branch) else None
    if row is None:
        raise NotVisible(f"nothing visible in repository {repository!r} on branch {branch!r}")
    for count in ("increment_changes", "increment_access_changes"):
        database.queries("writes.sql").run(count, tenant=tenant)
    number, _, before = row
    contents = sql.rows("contents_of_snapshots", branch=number, most=keep)
    oldest = max([before, *(content for (content,) in contents[-1:])])
    ended: dict[str, int] = {"branch": number, "oldest": oldest}
    if dead := [version for (version,) in sql.rows("prunable_versions", **ended)]:
        _thin(SegmentRows(database), number, dead)
        index.prune(dead)
    _remove_manual_relations(database, {**ended, "tenant": tenant, "repository": repository})
    for query in _BY_DOCUMENT:
        sql.run(query, **ended)
    documents = sql.run("delete_documents", **ended)
    sql.run("delete_relationships", **ended)
    snapshots = sql.run("delete_snapshots", **ended)
    sql.run("set_oldest", **ended)
    _remove_replaced_summaries(sql, ended)
    texts = sql.run("delete_unused_texts", tenant=tenant)
    vectors = sql.run("delete_unused_vectors", tenant=tenant)
    return PruneResult(snapshots, documents, texts, vectors)


def _remove_manual_relations(database: Database, place: Mapping[str, object]) -> None:
    """Those of documents that go for good, with the notes that people wrote on them."""
    sql = database.queries("maintenance.sql")
    gone = [document for (document,) in sql.rows("pruned_documents", **place)]
    if gone:
        sql.run("delete_manual_relationships", **place, ids=gone)
        left = {
            document for (document,) in sql.rows("documents_of_other_branches", **place, ids=gone)
        }
        sql.run("delete_far_relationships", **place, ids=[one for one in gone if one not in left])


def _remove_replaced_summaries(sql: Queries, place: Mapping[str, object]) -> None:
    """Vectors of summaries alone that no remaining snapshot uses."""
    replaced = [version for (version,) in sql.rows("replaced_summaries", **place)]
    sql.run("delete_replaced_summaries", versions=replaced)
    sql.run("delete_replaced_embeddings", versions=replaced)


def _thin(segments: SegmentRows, branch: int, dead: list[int]) -> None:
    """Segments that hold these documents are written anew without them."""
    for number, group, *_ in segments.of_branch(branch):
        held = np.sort(segments.arrays(number).document_ordinal)
        kept = held[~np.isin(held, dead)]
        if len(kept) == 0:
            segments.drop([number])
        elif len(kept) < len(held):
            segments.divide(number, {group: kept})
