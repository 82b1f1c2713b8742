"""Pruning: old snapshots go for good, with every row, posting and vector that only they held."""

import sqlite3

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.segment import Segment, pack, unpack
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import Pruned

_SQL = named_queries(PACKAGE, "prune.sql")
_BY_DOCUMENT = ("drop_chunks", "drop_offers", "drop_claims", "drop_nodes")


def prune(
    connection: sqlite3.Connection, tenant: str, repository: str, branch: str, keep: int
) -> Pruned:
    """One transaction: a reader sees all of the old snapshots, or none."""
    if keep < 1:
        raise BadInput("keep at least one snapshot")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _prune(connection, tenant, repository, branch, keep)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    connection.execute("VACUUM")
    return found


def _prune(
    connection: sqlite3.Connection, tenant: str, repository: str, branch: str, keep: int
) -> Pruned:
    named = {"tenant": tenant, "repository": repository, "name": branch}
    row = connection.execute(_SQL["branch_of"], named).fetchone()
    if row is None:
        raise NotVisible(f"nothing visible in repository {repository!r} on branch {branch!r}")
    number, newest, before = row
    oldest = max(before, newest - keep + 1)
    place = {"branch": number, "oldest": oldest}
    dead = {o for (o,) in connection.execute(_SQL["pruned_documents"], place)}
    if dead:
        for segment, arrays in connection.execute(_SQL["segments_of_branch"], place).fetchall():
            _thin(connection, segment, Segment.from_bytes(arrays), dead)
    for query in _BY_DOCUMENT:
        connection.execute(_SQL[query], place)
    documents = connection.execute(_SQL["drop_documents"], place).rowcount
    connection.execute(_SQL["drop_relationships"], place)
    snapshots = connection.execute(_SQL["drop_snapshots"], place).rowcount
    connection.execute(_SQL["set_oldest"], place)
    texts = connection.execute(_SQL["drop_texts"], {"tenant": tenant}).rowcount
    vectors = connection.execute(_SQL["drop_vectors"], {"tenant": tenant}).rowcount
    connection.execute(_SQL["count_change"])
    return Pruned(snapshots, documents, texts, vectors)


def _thin(connection: sqlite3.Connection, number: int, segment: Segment, dead: set[int]) -> None:
    """The same segment without these documents; under a new number, since segments are cached."""
    gone = np.array(sorted(dead), dtype=np.int64)
    passages = ~np.isin(segment.passage_document, gone)
    nodes = ~np.isin(segment.node_document, gone)
    if passages.all() and nodes.all():
        return
    moved = np.cumsum(passages) - 1
    kept = segment.only(passages, nodes)
    thinned = {
        "segment": number,
        "passages": len(kept.passage_document),
        "nodes": len(kept.node_document),
        "arrays": kept.to_bytes(),
    }
    new = connection.execute(_SQL["add_thinned"], thinned).lastrowid
    rows = connection.execute(_SQL["postings_of_segment"], {"segment": number}).fetchall()
    for term, packed, counted in rows:
        places = unpack(packed)
        seen = passages[places]
        if seen.any():
            posting = {
                "term": term,
                "segment": new,
                "passages": pack(moved[places[seen]]),
                "frequencies": pack(unpack(counted)[seen]),
            }
            connection.execute(_SQL["add_posting"], posting)
    for query in ("drop_postings", "drop_segment"):
        connection.execute(_SQL[query], {"segment": number})
