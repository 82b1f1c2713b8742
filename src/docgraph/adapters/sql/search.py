"""SearchReads: NumPy over packed segments, masked by what is visible."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import Queries, Row
from docgraph.adapters.sql.segment import WIDTH, Segment, unpack
from docgraph.adapters.sql.segment_cache import Held
from docgraph.adapters.sql.visible import Visible
from docgraph.ports.search_reads import Handles, Over, Postings, TermPostings

Scores = npt.NDArray[np.int64]


class SqlSearch:
    exact = True

    def __init__(
        self,
        sql: Queries,
        visible: Visible,
        held: Held,
    ) -> None:
        self._sql = sql
        self._visible = visible
        self._held = held
        self._segments = held.arrays

    def nearest(
        self, vector: tuple[int, ...], *, over: Over, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        scans = [
            self._scan(number, segment, vector, over, roll_up)
            for number, segment in self._segments.items()
            if segment.width == len(vector)  # others hold what another model embedded once
        ]
        owners = np.concatenate([owner for owner, _ in scans]) if scans else _nothing()
        scores = np.concatenate([score for _, score in scans]) if scans else _nothing()
        unique, where = np.unique(owners, return_inverse=True)
        best = np.full(len(unique), np.iinfo(np.int64).min, dtype=np.int64)
        np.maximum.at(best, where, scores)
        if len(best) > top:
            edge = np.partition(best, len(best) - top)[len(best) - top]
            unique, best = unique[best >= edge], best[best >= edge]
        named = zip(self.names(unique), best.tolist(), strict=True)
        return tuple(sorted(named, key=lambda item: (-item[1], item[0]))[:top])

    def _scan(
        self, number: int, segment: Segment, vector: tuple[int, ...], over: Over, roll_up: bool
    ) -> tuple[Handles, Scores]:
        """Exact dot products of one segment's visible rows; float32 counts these in ones."""
        query = np.array(vector, dtype=np.float32)
        if over == "passages":
            seen = self._visible.of(segment.passage_document)
            rows = self._held.passages(number)[seen]
            owners = (segment.passage_root if roll_up else segment.passage_node)[seen]
        else:
            seen = self._visible.of(segment.node_document)
            if over == "documents":
                seen = seen & (segment.node_handle == segment.node_root)
            rows = segment.node_vectors[seen]
            owners = (segment.node_root if roll_up else segment.node_handle)[seen]
        return owners, (rows.astype(np.float32) @ query).astype(np.int64)

    def similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        query = np.array(vector, dtype=np.int64)
        rows = self._sql.rows("vectors_of_nodes", ids=ids)
        return {node: int(unpack(blob, np.int16) @ query) for node, blob in sorted(rows)}

    def postings(self, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        passages = words = 0
        offsets: dict[int, int] = {}
        masks: dict[int, npt.NDArray[np.bool_]] = {}
        total = 0
        for number, segment in self._segments.items():
            mask = self._visible.of(segment.passage_document)
            masks[number], offsets[number] = mask, total
            total += len(mask)
            passages += int(mask.sum())
            words += int(segment.passage_length[mask].sum())
        held: dict[str, list[Row]] = {term: [] for term in terms}
        numbers = list(self._held.places)
        for term, *row in self._sql.rows("postings_of_terms", terms=terms, segments=numbers):
            held[term].append(tuple(row))
        found = (self._term(term, rows, masks, offsets, roll_up) for term, rows in held.items())
        return Postings(passages, words, tuple(term for term in found if len(term.passages)))

    def _term(
        self,
        term: str,
        rows: list[Row],
        masks: dict[int, npt.NDArray[np.bool_]],
        offsets: dict[int, int],
        roll_up: bool,
    ) -> TermPostings:
        columns: list[tuple[Handles, Handles, Handles, Handles]] = []
        for key, held, counted in self._unpacked(rows):
            segment = self._segments[key]
            seen = masks[key][held]
            places = held[seen]
            owners = segment.passage_root if roll_up else segment.passage_node
            columns.append(
                (
                    places + offsets[key],
                    owners[places],
                    counted[seen],
                    segment.passage_length[places],
                )
            )
        joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
        return TermPostings(term, *(joined or [_nothing()] * 4))

    def _unpacked(self, rows: list[Row]) -> Iterator[tuple[int, Handles, Handles]]:
        """One term's passages and frequencies, for each of the arrays that they are about."""
        together: dict[int, list[Row]] = {}
        for row in rows:
            together.setdefault(self._held.places[row[0]][0], []).append(row)
        for key, found in together.items():
            offsets = [self._held.places[number][1] for number, _, _ in found]
            sizes = [len(packed) // WIDTH for _, packed, _ in found]
            places = unpack(b"".join(packed for _, packed, _ in found))
            yield key, places + np.repeat(offsets, sizes), unpack(b"".join(c for _, _, c in found))

    def names(self, owners: Handles) -> list[str]:
        named: dict[int, str] = dict(self._sql.rows("names_of_handles", handles=owners.tolist()))
        return [named[handle] for handle in owners.tolist()]

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        keys = [f"{kind}:{name}" for name in names for kind in ("code", "doc")]
        branches = sorted(self._visible.snapshots)
        rows = self._sql.rows("definers", keys=keys, branches=branches)
        return tuple((name, node) for name, node in rows)

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        return dict(sorted(self._sql.rows("kinds_of_nodes", ids=ids)))


def _nothing() -> Handles:
    return np.empty(0, dtype=np.int64)
