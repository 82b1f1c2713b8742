"""SearchReads: NumPy over packed segments, masked by what is visible."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

import numpy as np

from docgraph.adapters.indexes.chunk_vectors import dots
from docgraph.adapters.indexes.segment_cache import NOWHERE, Found, SegmentCache
from docgraph.adapters.indexes.segments import Ints, unpack
from docgraph.adapters.indexes.visible_rows import (
    PostingList,
    ScannedRows,
    SeenIn,
    SeenRows,
)
from docgraph.adapters.sql.database import Queries
from docgraph.adapters.sql.version_table import Visibility
from docgraph.model.scoring import Bm25, score_owners, top_groups, top_with_ties
from docgraph.ports.search_reads import Level


class SqlSearch:
    exact = True

    def __init__(
        self, sql: Queries, visible: Visibility, segments: SegmentCache, seen: SeenRows
    ) -> None:
        self._sql = sql
        self._visible = visible
        self._segments = segments
        self._seen = seen
        self._handles: dict[str, int] = {}

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        query = np.array(vector, dtype=np.float32)
        scan = self._seen.scan(over, roll_up, len(vector), self._rows)
        found = [dots(rows.vectors, query, rows.kept) for rows in scan.rows]
        if not found:
            return ()
        owners, scores = top_groups(scan.owners, np.concatenate(found), top)
        named = zip(self._names(owners), scores.astype(np.int64).tolist(), strict=True)
        return tuple(sorted(named, key=lambda item: (-item[1], item[0]))[:top])

    def _rows(self, seen: SeenIn, over: Level, roll_up: bool) -> Iterator[tuple[ScannedRows, Ints]]:
        """The visible rows that are scanned, and whose they are; of the reader's segments alone."""
        block = seen.block
        if over == "documents":
            kept = seen.documents
            yield ScannedRows(block.document_vectors, kept), block.document_handles[kept]
            return
        for number in seen.numbers:
            documents, passages = block.spans[number]
            handles = block.document_handles[documents]
            if over == "passages":
                vectors = self._segments.passages(self._sql, number, block)
                kept = np.flatnonzero(seen.places[passages] >= 0)
                rows = block.passage_rows[passages] - np.int32(documents.start)
                nodes = block.passage_nodes[passages]
            else:
                sections = self._segments.sections(self._sql, number)
                vectors, rows, nodes = sections.vectors, sections.rows, sections.handles
                kept = np.flatnonzero(seen.sees[documents][rows])
            owners = handles[rows[kept]] if roll_up else nodes[kept]
            yield ScannedRows(vectors, kept), owners

    def node_similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        query = np.array(vector, dtype=np.int64)
        rows = self._sql.rows("vectors_of_nodes", ids=ids)
        return {node: int(unpack(blob, np.int16) @ query) for node, blob in sorted(rows)}

    def best_chunk_similarities(
        self, vector: tuple[int, ...], ids: tuple[str, ...], *, roll_up: bool
    ) -> dict[str, int]:
        handles = self._handles_of(ids)
        numbers = np.array([*handles.values()], dtype=np.int64)
        vectors, sizes = self._seen.passages_of(numbers, roll_up=roll_up)
        held = [node for node, size in zip(handles, sizes.tolist(), strict=True) if size]
        if not held:
            return {}
        query = np.array(vector, dtype=np.float32)
        scores = self._seen.vectors.dots(self._sql, vectors, query)
        begins = np.concatenate(([0], np.cumsum(sizes[sizes > 0])[:-1]))
        best = np.maximum.reduceat(scores, begins)
        return dict(zip(held, best.astype(np.int64).tolist(), strict=True))

    def _handles_of(self, ids: tuple[str, ...]) -> dict[str, int]:
        """Most were named a moment ago."""
        if missing := [node for node in ids if node not in self._handles]:
            self._handles.update(self._sql.rows("handles_of_nodes", ids=missing))
        return {node: self._handles[node] for node in ids if node in self._handles}

    def lexical(
        self, terms: tuple[str, ...], *, roll_up: bool, pool: int, bm25: Bm25
    ) -> tuple[tuple[str, float], ...]:
        """Owners tied at the edge are all named before ids break the tie."""
        seen = self._seen
        lists = seen.terms(terms, bm25, partial(self._terms, bm25))
        owners = seen.by_document if roll_up else seen.by_node
        handles, scores = top_with_ties(*score_owners(lists, owners), pool)
        ranked = sorted(zip((-scores).tolist(), self._names(handles), strict=True))
        return tuple((node, -score) for score, node in ranked[:pool])

    def _terms(self, bm25: Bm25, terms: list[str]) -> list[PostingList]:
        """Where these stand, of what is seen."""
        held = self._segments.postings(self._sql, self._seen.numbers, terms)
        return [self._term(bm25, term, held) for term in terms]

    def _term(self, bm25: Bm25, term: str, held: Mapping[tuple[int, str], Found]) -> PostingList:
        columns = [NOWHERE, *(_standing(seen, term, held) for seen in self._seen.blocks)]
        positions, frequencies = (np.concatenate(c) for c in zip(*columns, strict=True))
        return PostingList(positions, bm25.weights(positions, frequencies, self._seen.lengths))

    def _names(self, owners: Ints) -> list[str]:
        wanted, known = owners.tolist(), self._segments.names
        names = list(map(known.get, wanted))
        if None in names:
            missing = [handle for handle, name in zip(wanted, names, strict=True) if name is None]
            rows = self._sql.rows("names_of_handles", handles=missing)
            self._segments.name(rows)
            read = {handle: name for handle, name, _ in rows}
            names = [name or read[handle] for handle, name in zip(wanted, names, strict=True)]
        found = cast("list[str]", names)
        self._handles.update(zip(found, wanted, strict=True))
        return found

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        keys = [f"{kind}:{name}" for name in names for kind in ("code", "doc")]
        branches = sorted(self._visible.snapshots)
        rows = self._sql.rows("definers", keys=keys, branches=branches)
        return tuple((name, node) for name, node in rows)

    def documents_titled(self, titles: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        keys = [f"title:{title}" for title in titles]
        branches = sorted(self._visible.snapshots)
        rows = self._sql.rows("definers", keys=keys, branches=branches)
        return tuple((title, node) for title, node in rows)

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        """Most were named a moment ago, and their kinds with them."""
        known = self._segments.kinds
        found = {node: known.get(self._handles.get(node, -1)) for node in ids}
        if missing := [node for node, kind in found.items() if kind is None]:
            found |= dict.fromkeys(missing) | dict(self._sql.rows("kinds_of_nodes", ids=missing))
        return {node: kind for node, kind in sorted(found.items()) if kind is not None}


def _standing(seen: SeenIn, term: str, held: Mapping[tuple[int, str], Found]) -> Found:
    """In one block; unseen passages have no place, and fall out here."""
    found = [
        (places + np.int32(span.passages.start), counted)
        for number, span in seen.block.spans.items()
        for places, counted in (held.get((number, term), NOWHERE),)
    ]
    places, frequencies = (np.concatenate(column) for column in zip(*found, strict=True))
    told = seen.places[places]
    kept = told >= 0
    return told[kept], frequencies[kept]
