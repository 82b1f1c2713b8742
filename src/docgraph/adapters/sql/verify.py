"""Verification: rows are as they were written, none is orphaned or valid twice, and nothing of
removed documents is visible."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Segment, unpack_numbers
from docgraph.adapters.sql.access_rows import rule_from_json, rule_to_json, statements_from_json
from docgraph.adapters.sql.database import DamagedRow, Database, Queries, single_row
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.repository_access import RepositoryAccess
from docgraph.adapters.sql.stored_checksums import checksum_problems, read_segment
from docgraph.adapters.sql.version_rules import InheritedAccess
from docgraph.adapters.sql.version_table import Branch, Counted, VersionTable, load_rows
from docgraph.model.edge import RELATIONS
from docgraph.model.node import document_of
from docgraph.model.snapshot import VerifyReport
from docgraph.ports.indexes import ReadFilter

Flags = npt.NDArray[np.bool_]
See = Callable[[VersionTable, Flags, Mapping[int, int], tuple[Flags, Flags]], None]
_WRONG = MappingProxyType(
    {
        "nodes_without_document": "nodes belong to no document",
        "chunks_without_document": "chunks belong to no document",
        "definitions_without_document": "definitions belong to no document",
        "references_without_document": "references belong to no document",
        "documents_without_text": "documents have no text",
        "embeddings_without_document": "embeddings belong to no document",
        "summaries_without_vector": "embedded summaries have no vector",
        "nodes_without_vector": "nodes of embedded documents have no vector",
        "chunks_without_vector": "chunks of embedded documents have no vector",
        "chunk_vectors_without_vector": "chunks have the number of no vector",
        "vectors_without_embedding": "vectors belong to nothing that is embedded",
        "postings_without_segment": "postings belong to no segment",
        "chunks_without_node": "chunks have no node in their document",
        "nodes_without_parent": "nodes have no parent",
        "chunks_outside_text": "chunks extend beyond their document's text",
        "references_without_source": "references belong to no node of their document",
        "overlapping_versions": "documents have two versions in one snapshot",
        "duplicate_relationships": "relations occur twice in one snapshot",
        "documents_without_rule": "documents have no access rule, so nobody can read them",
        "misnumbered_branches": "branches name other snapshots than they have",
        "tenants_without_changes": "tenants have branches and no count of changes",
    }
)
_SEEN = MappingProxyType(
    {
        "visible_ended_documents": "documents",
        "visible_ended_texts": "texts",
        "visible_ended_nodes": "nodes",
        "visible_ended_chunks": "chunks",
        "visible_ended_vectors": "vectors",
        "visible_ended_definitions": "definitions",
        "visible_ended_references": "references",
    }
)


def verify(database: Database, see: See, damage: Iterable[str] = ()) -> VerifyReport:
    """As a reader who may see everything, in each branch's newest snapshot.

    `see` binds the views to the versions of a mask, in snapshots by branch, and to those of them
    that are embedded; `damage` is what the database reports of itself. What cannot be read is a
    problem, and ends one check alone.
    """
    sql = database.queries("maintenance.sql")
    problems: list[str] = []
    for check in (
        lambda: damage,
        partial(checksum_problems, database.queries("checksums.sql")),
        partial(_of_rows, sql),
        partial(_of_versions, database, sql, see),
    ):
        problems.extend(_attempt(check))
    checked = sql.rows("row_counts")
    return VerifyReport(tuple((name, count) for name, count in checked), tuple(problems))


def _attempt(check: Callable[[], Iterable[str]]) -> Iterator[str]:
    try:
        yield from check()
    except DamagedRow as error:
        yield f"the store cannot be read: {error}"


def _of_rows(sql: Queries) -> Iterator[str]:
    for query, wrong in _WRONG.items():
        (count,) = single_row(sql.row(query))
        if count:
            yield f"{count} {wrong}"


def _of_versions(database: Database, sql: Queries, see: See) -> Iterator[str]:
    stored = database.queries("checksums.sql")
    rows = load_rows(database.queries("state.sql"), Counted())
    segments = {
        number: (branch, Segment.from_bytes(arrays))
        for number, branch, arrays in sql.rows("segments")
    }
    yield from _of_segments(sql, stored, segments)
    yield from _of_rules(database, sql, rows)
    for branch in rows.branches:
        if branch.newest:
            own = [segment for home, segment in segments.values() if home == branch.id]
            mask = rows.alive(branch.id, branch.newest)
            snapshots = {branch.id: branch.newest}
            reads = ReadFilter(branch.tenant, frozenset(), (*snapshots.items(),), 0)
            see(rows, mask, snapshots, rows.embedded(mask, reads))
            graph = SqlGraph(database.queries("reads.sql"))
            yield from _of_removed_documents(sql, graph, mask, branch, own)


def _of_segments(
    sql: Queries, stored: Queries, segments: Mapping[int, tuple[int, Segment]]
) -> Iterator[str]:
    """Postings lie inside their segment, and every chunk and node has its document."""
    known = np.array([o for (o,) in sql.rows("all_versions")], dtype=np.int64)
    for number, (_, segment) in segments.items():
        is_intact, postings = read_segment(stored, number)
        if not is_intact:
            yield f"segment {number} differs from its checksum"
        for column in (segment.chunk_document, segment.document_ordinal):
            if stray := int(np.count_nonzero(~np.isin(column, known))):
                yield f"segment {number}: {stray} rows belong to no document"
        size = len(segment.chunk_document)
        for term, packed, counted in postings:
            chunks, frequencies = unpack_numbers(packed), unpack_numbers(counted)
            fits = len(chunks) == len(frequencies) and np.all((chunks >= 0) & (chunks < size))
            if not fits:
                yield f"segment {number}: the postings of {term!r} do not fit"


def _of_rules(database: Database, sql: Queries, rows: VersionTable) -> Iterator[str]:
    """Every version has the rule that was stated for it, with the manual rule of its path; and none
    is wider than the statements on its path."""
    for branch in rows.branches:
        if branch.newest:
            access = RepositoryAccess(database, branch.tenant, branch.repository).inherited()
            found = sql.rows("rules_of_branch", branch=branch.id)
            wrong = len(
                {
                    path
                    for path, statements, stated, rule in found
                    if not _follows(access, branch.id, path, statements, stated, rule)
                }
            )
            if wrong:
                where = f"{branch.repository} {branch.name}"
                yield f"{where}: {wrong} documents have another rule than was decided"


def _follows(
    access: InheritedAccess, branch: int, path: str, statements: str, stated: str, rule: str
) -> bool:
    bound = rule_from_json(stated)
    widest = access.stated_rule(branch, path, statements_from_json(statements))
    return bound.is_within(widest) and rule_to_json(access.effective_rule(path, bound)) == rule


def _of_removed_documents(
    sql: Queries,
    graph: SqlGraph,
    mask: Flags,
    branch: Branch,
    segments: list[Segment],
) -> Iterator[str]:
    """No row, posting, vector or edge of a removed document is visible."""
    where = f"{branch.repository} {branch.name}"
    place = {"branch": branch.id, "newest": branch.newest}
    for query, what in _SEEN.items():
        (count,) = single_row(sql.row(query, **place))
        if count:
            yield f"{where}: {count} {what} of removed documents are visible"
    ended = np.array([o for (o,) in sql.rows("ended_versions", **place)], dtype=np.int64)
    for segment in segments:
        for column in (segment.chunk_document, segment.document_ordinal):
            if seen := int(np.count_nonzero(mask[column[np.isin(column, ended)]])):
                yield f"{where}: {seen} postings of removed documents are found"
    removed = {document for (document,) in sql.rows("removed_documents", **place)}
    batches = graph.edge_batches(frozenset(RELATIONS))
    for found in (one for _, batch in batches for one in batch):
        for end in (found.edge.source, found.edge.target):
            if document_of(end) in removed:
                yield f"{where}: {json.dumps(found.edge.relation)} still leads to or from {end}"
