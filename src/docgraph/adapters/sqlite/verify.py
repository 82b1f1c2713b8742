"""Verifying: nothing dangles, nothing lives twice, and what is gone is seen by nobody."""

import json
import sqlite3
from collections.abc import Iterator
from types import MappingProxyType

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.access_writer import AccessWriter, decided
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.graph import SqliteGraph
from docgraph.adapters.sqlite.segment import Segment, unpack
from docgraph.adapters.sqlite.visible import Branch, Rows, alive, guard
from docgraph.model.identity import document_of
from docgraph.model.relation import RELATIONS
from docgraph.model.snapshot import Verified

_SQL = named_queries(PACKAGE, "verify.sql")
_WRONG = MappingProxyType(
    {
        "nodes_of_nothing": "nodes belong to no document",
        "chunks_of_nothing": "chunks belong to no document",
        "offers_of_nothing": "names belong to no document",
        "claims_of_nothing": "claims belong to no document",
        "texts_missing": "documents have lost their text",
        "vectors_missing": "chunks have lost their vector",
        "postings_of_nothing": "postings belong to no segment",
        "chunks_without_node": "chunks have no node in their document",
        "nodes_without_parent": "nodes have lost their parent",
        "spans_outside": "chunks reach out of their document's text",
        "claims_without_source": "claims are made by no node of their document",
        "two_at_once": "documents live twice in one snapshot",
        "edges_twice": "relations live twice in one snapshot",
        "without_rule": "documents have no access rule, so nobody can read them",
    }
)
_SEEN = MappingProxyType(
    {
        "dead_documents": "documents",
        "dead_texts": "texts",
        "dead_nodes": "nodes",
        "dead_chunks": "chunks, or their vectors,",
        "dead_offers": "names",
        "dead_claims": "claims",
    }
)


def verify(connection: sqlite3.Connection, rows: Rows) -> Verified:
    """With the eyes of one who may read everything, in each branch's newest snapshot."""
    segments = {
        number: (branch, Segment.from_bytes(arrays))
        for number, branch, arrays in connection.execute(_SQL["segments"]).fetchall()
    }
    problems = [
        *_of_the_file(connection),
        *_of_rows(connection),
        *_of_segments(connection, segments),
        *_of_rules(connection, rows),
    ]
    for branch in rows.branches:
        if branch.newest:
            own = [segment for home, segment in segments.values() if home == branch.id]
            problems.extend(_of_the_gone(connection, rows, branch, own))
    checked = connection.execute(_SQL["checked"]).fetchall()
    return Verified(tuple((name, count) for name, count in checked), tuple(problems))


def _of_the_file(connection: sqlite3.Connection) -> Iterator[str]:
    for (told,) in connection.execute("PRAGMA integrity_check(10)"):
        if told != "ok":
            yield f"the file is damaged: {told}"


def _of_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for query, wrong in _WRONG.items():
        (count,) = connection.execute(_SQL[query]).fetchone()
        if count:
            yield f"{count} {wrong}"


def _of_segments(
    connection: sqlite3.Connection, segments: dict[int, tuple[int, Segment]]
) -> Iterator[str]:
    """Postings lie inside their segment, and every passage and node has its document."""
    known = np.array([o for (o,) in connection.execute(_SQL["ordinals"])], dtype=np.int64)
    for number, (_, segment) in segments.items():
        for column in (segment.passage_document, segment.node_document):
            if stray := int(np.count_nonzero(~np.isin(column, known))):
                yield f"segment {number}: {stray} rows belong to no document"
        size = len(segment.passage_document)
        for term, packed, counted in connection.execute(
            _SQL["postings_of_segment"], {"segment": number}
        ):
            places, frequencies = unpack(packed), unpack(counted)
            fits = len(places) == len(frequencies) and np.all((places >= 0) & (places < size))
            if not fits:
                yield f"segment {number}: the postings of {term!r} do not fit"


def _of_rules(connection: sqlite3.Connection, rows: Rows) -> Iterator[str]:
    """Every document has the rule that all who speak of it come to."""
    for branch in rows.branches:
        if branch.newest:
            words = AccessWriter(connection, branch.tenant, branch.repository).words()
            found = connection.execute(_SQL["rules_of_branch"], {"branch": branch.id})
            wrong = sum(decided(words, branch.id, path, told) != rule for path, told, rule in found)
            if wrong:
                where = f"{branch.repository} {branch.name}"
                yield f"{where}: {wrong} documents have another rule than was decided"


def _of_the_gone(
    connection: sqlite3.Connection, rows: Rows, branch: Branch, segments: list[Segment]
) -> Iterator[str]:
    """No row, posting, vector or edge of what is gone is left visible."""
    where = f"{branch.repository} {branch.name}"
    mask = alive(rows, branch, branch.newest)
    guard(connection, rows, mask, {branch.id: branch.newest})
    place = {"branch": branch.id, "newest": branch.newest}
    for query, what in _SEEN.items():
        (count,) = connection.execute(_SQL[query], place).fetchone()
        if count:
            yield f"{where}: {count} {what} of documents that are gone can be seen"
    dead = np.array([o for (o,) in connection.execute(_SQL["dead"], place)], dtype=np.int64)
    for segment in segments:
        for column in (segment.passage_document, segment.node_document):
            if seen := int(np.count_nonzero(mask[column] & np.isin(column, dead))):
                yield f"{where}: {seen} postings or vectors of what is gone can be found"
    gone = {document for (document,) in connection.execute(_SQL["gone"], place)}
    for found in SqliteGraph(connection).listed(frozenset(RELATIONS)):
        for end in (found.edge.source, found.edge.target):
            if document_of(end) in gone:
                yield f"{where}: {json.dumps(found.edge.relation)} still leads to or from {end}"
