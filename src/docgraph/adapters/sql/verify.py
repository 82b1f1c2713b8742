"""Verifying: nothing dangles, nothing lives twice, and what is gone is seen by nobody."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Segment, unpack
from docgraph.adapters.sql.database import Database, Queries, single_row
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.repository_access import RepositoryAccess
from docgraph.adapters.sql.version_table import Branch, VersionTable
from docgraph.model.edge import RELATIONS
from docgraph.model.node import document_of
from docgraph.model.snapshot import VerifyReport

See = Callable[[npt.NDArray[np.bool_], Mapping[int, int]], None]
_WRONG = MappingProxyType(
    {
        "nodes_without_document": "nodes belong to no document",
        "chunks_without_document": "chunks belong to no document",
        "definitions_without_document": "names belong to no document",
        "references_without_document": "claims belong to no document",
        "documents_without_text": "documents have lost their text",
        "chunks_without_vector": "chunks have lost their vector",
        "postings_without_segment": "postings belong to no segment",
        "chunks_without_node": "chunks have no node in their document",
        "nodes_without_parent": "nodes have lost their parent",
        "chunks_outside_text": "chunks reach out of their document's text",
        "references_without_source": "claims are made by no node of their document",
        "overlapping_versions": "documents live twice in one snapshot",
        "duplicate_relationships": "relations live twice in one snapshot",
        "documents_without_rule": "documents have no access rule, so nobody can read them",
    }
)
_SEEN = MappingProxyType(
    {
        "visible_ended_documents": "documents",
        "visible_ended_texts": "texts",
        "visible_ended_nodes": "nodes",
        "visible_ended_chunks": "chunks, or their vectors,",
        "visible_ended_definitions": "names",
        "visible_ended_references": "claims",
    }
)


def verify(
    database: Database, rows: VersionTable, see: See, damage: Iterable[str] = ()
) -> VerifyReport:
    """With the eyes of one who may read everything, in each branch's newest snapshot.

    `see` lets the views show the documents of a mask, in snapshots by branch; `damage` is what
    the database says of itself.
    """
    sql = database.queries("maintenance.sql")
    segments = {
        number: (branch, Segment.from_bytes(arrays))
        for number, branch, arrays in sql.rows("segments")
    }
    problems = [
        *damage,
        *_of_rows(sql),
        *_of_segments(sql, segments),
        *_of_rules(database, sql, rows),
    ]
    for branch in rows.branches:
        if branch.newest:
            own = [segment for home, segment in segments.values() if home == branch.id]
            mask = rows.alive(branch.id, branch.newest)
            see(mask, {branch.id: branch.newest})
            graph = SqlGraph(database.queries("reads.sql"))
            problems.extend(_of_the_gone(sql, graph, mask, branch, own))
    checked = sql.rows("row_counts")
    return VerifyReport(tuple((name, count) for name, count in checked), tuple(problems))


def _of_rows(sql: Queries) -> Iterator[str]:
    for query, wrong in _WRONG.items():
        (count,) = single_row(sql.row(query))
        if count:
            yield f"{count} {wrong}"


def _of_segments(sql: Queries, segments: dict[int, tuple[int, Segment]]) -> Iterator[str]:
    """Postings lie inside their segment, and every passage and node has its document."""
    known = np.array([o for (o,) in sql.rows("all_versions")], dtype=np.int64)
    for number, (_, segment) in segments.items():
        for column in (segment.chunk_document, segment.node_document):
            if stray := int(np.count_nonzero(~np.isin(column, known))):
                yield f"segment {number}: {stray} rows belong to no document"
        size = len(segment.chunk_document)
        for term, packed, counted in sql.rows("postings_of_segment", segment=number):
            places, frequencies = unpack(packed), unpack(counted)
            fits = len(places) == len(frequencies) and np.all((places >= 0) & (places < size))
            if not fits:
                yield f"segment {number}: the postings of {term!r} do not fit"


def _of_rules(database: Database, sql: Queries, rows: VersionTable) -> Iterator[str]:
    """Every document has the rule that all who speak of it come to."""
    for branch in rows.branches:
        if branch.newest:
            access = RepositoryAccess(database, branch.tenant, branch.repository).inherited()
            found = sql.rows("rules_of_branch", branch=branch.id)
            wrong = sum(
                access.stored_rule(branch.id, path, statements) != rule
                for path, statements, rule in found
            )
            if wrong:
                where = f"{branch.repository} {branch.name}"
                yield f"{where}: {wrong} documents have another rule than was decided"


def _of_the_gone(
    sql: Queries,
    graph: SqlGraph,
    mask: npt.NDArray[np.bool_],
    branch: Branch,
    segments: list[Segment],
) -> Iterator[str]:
    """No row, posting, vector or edge of what is gone is left visible."""
    where = f"{branch.repository} {branch.name}"
    place = {"branch": branch.id, "newest": branch.newest}
    for query, what in _SEEN.items():
        (count,) = single_row(sql.row(query, **place))
        if count:
            yield f"{where}: {count} {what} of documents that are gone can be seen"
    dead = np.array([o for (o,) in sql.rows("ended_versions", **place)], dtype=np.int64)
    for segment in segments:
        for column in (segment.chunk_document, segment.node_document):
            if seen := int(np.count_nonzero(mask[column] & np.isin(column, dead))):
                yield f"{where}: {seen} postings or vectors of what is gone can be found"
    gone = {document for (document,) in sql.rows("removed_documents", **place)}
    for found in graph.all_edges(frozenset(RELATIONS)):
        for end in (found.edge.source, found.edge.target):
            if document_of(end) in gone:
                yield f"{where}: {json.dumps(found.edge.relation)} still leads to or from {end}"
