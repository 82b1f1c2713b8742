"""Verification of checksums: every row that takes part in an answer is as it was written."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Literal

from docgraph.adapters.sql.checksums import checksum, is_intact, segment_checksum
from docgraph.adapters.sql.database import Queries, Row, next_page, single_row
from docgraph.ports.writes import text_key

# Tables whose rows have a checksum each, and what they hold.
_CHECKED = MappingProxyType(
    {
        "document_states": "document versions with their access classes",
        "vector_spaces": "vector spaces",
        "stated_relationships": "stated relations",
        "branches": "branches",
        "snapshots": "snapshots",
        "branch_sources": "sources of branches",
        "access_classes": "access rules",
        "document_access": "access statements",
        "default_statements": "default access statements",
        "access_file_rules": "rules of access.yaml",
        "default_branches": "default branches",
        "manual_access_rules": "manual access rules",
        "principals": "principals",
        "index_outbox": "changes of an external index",
    }
)
_PARTS = ("document_nodes", "vector_chunks", "definitions", "node_references")
_ALL_VECTORS = ("node_vectors", "chunk_vectors")
_PAGE = 500  # rows that are read at once


def checksum_problems(sql: Queries) -> Iterator[str]:
    """Of all but segments; `sql` is checksums.sql."""
    for table, what in _CHECKED.items():
        yield from describe_changed(what, (is_intact(table, row) for row in sql.rows(table)))
    vectors = (
        is_intact("vectors", row)
        for page in _pages(sql, "next_vectors")
        for row in sql.rows("vectors", ids=page)
    )
    yield from describe_changed("vectors", vectors)
    texts = (
        isinstance(text, str) and text_key(text) == hash_
        for page in _pages(sql, "next_contents")
        for hash_, text in sql.rows("contents", ids=page)
    )
    yield from describe_changed("texts", texts)
    documents = (
        intact for page in _pages(sql, "next_documents") for intact in _intact_documents(sql, page)
    )
    parts = "documents, or their nodes, chunks, definitions or references,"
    yield from describe_changed(parts, documents)
    embedded = (
        intact
        for page in _pages(sql, "next_embeddings")
        for intact in _intact_embeddings(sql, page)
    )
    yield from describe_changed("embedded documents, or their vectors,", embedded)


def describe_changed(what: str, intact: Iterable[bool]) -> Iterator[str]:
    if wrong := sum(not one for one in intact):
        yield f"{wrong} {what} differ from their checksum"


def _pages(
    sql: Queries,
    query: Literal["next_vectors", "next_contents", "next_documents", "next_embeddings"],
) -> Iterator[list[int]]:
    after = -1
    while page := [number for (number,) in sql.rows(query, after=after, most=_PAGE)]:
        yield page
        after = next_page(after, page[-1])


def _intact_documents(sql: Queries, versions: list[int]) -> Iterator[bool]:
    found = {row[0]: row for row in sql.rows("documents", versions=versions)}
    sums = {version: checksum("documents", row[:-1]) for version, row in found.items()}
    for table in _PARTS:
        for row in sql.rows(table, versions=list(found)):
            if row[0] in sums:  # an index that is damaged may lead to any row
                sums[row[0]] += checksum(table, row)
    return (sums[version] == row[-1] for version, row in found.items())


def _intact_embeddings(sql: Queries, versions: list[int]) -> Iterator[bool]:
    rows = sql.rows("document_embeddings", versions=versions)
    sums = {tuple(row[:2]): checksum("document_embeddings", row[:-1]) for row in rows}
    summarized, completed = (
        [version for version, is_complete in sums if is_complete == complete] for complete in (0, 1)
    )
    for row in sql.rows("summary_vectors", versions=summarized):
        if (row[0], 0) in sums:  # an index that is damaged may lead to any row
            sums[row[0], 0] += checksum("summary_vectors", row)
    for table in _ALL_VECTORS:
        for row in sql.rows(table, versions=completed):
            if (row[0], 1) in sums:
                sums[row[0], 1] += checksum(table, row)
    return (sums[tuple(row[:2])] == row[-1] for row in rows)


def read_segment(sql: Queries, number: int) -> tuple[bool, list[Row]]:
    """Whether it is as it was written, and its postings."""
    *row, stored = single_row(sql.row("segments", segment=number))
    postings = sql.rows("postings", segment=number)
    return segment_checksum(row, postings) == stored, postings
