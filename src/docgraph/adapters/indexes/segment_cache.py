"""A block: several segments side by side in memory, narrow, their summaries ready to multiply."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints, Segment
from docgraph.adapters.sql.database import Queries, single_row

Vectors = npt.NDArray[np.int16]
Places = npt.NDArray[np.int32]


class Span(NamedTuple):
    """Where one segment's documents and passages are in its block."""

    documents: slice
    passages: slice


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Documents by row: version, node, vector. Passages by place; `passage_rows` are documents'."""

    spans: Mapping[int, Span]
    document_ordinals: Ints
    document_handles: Ints
    document_vectors: npt.NDArray[np.float32]
    passage_rows: Places
    passage_nodes: Ints
    passage_lengths: Places
    passage_vectors: Ints

    @property
    def width(self) -> int:
        return int(self.document_vectors.shape[1])

    @classmethod
    def of(cls, number: int, segment: Segment) -> "Block":
        """Of one segment. Sections are left out: few questions need them."""
        roots = np.flatnonzero(segment.node_handle == segment.node_root)
        ordinals = segment.node_document[roots]
        rows = _places(ordinals, segment.passage_document)
        documents, passages = slice(0, len(roots)), slice(0, len(rows))
        return cls(
            spans={number: Span(documents, passages)},
            document_ordinals=ordinals,
            document_handles=segment.node_handle[roots],
            document_vectors=segment.node_vectors[roots].astype(np.float32),
            passage_rows=rows,
            passage_nodes=segment.passage_node,
            passage_lengths=segment.passage_length.astype(np.int32),
            passage_vectors=segment.passage_vector,
        )

    @classmethod
    def joined(cls, parts: Sequence["Block"]) -> "Block":
        """Of one width, since vectors of different models cannot stand in one array."""
        if len(parts) == 1:
            return parts[0]
        spans: dict[int, Span] = {}
        documents = passages = 0
        rows: list[Places] = []
        for part in parts:
            for number, span in part.spans.items():
                spans[number] = Span(*(map(_moved, span, (documents, passages))))
            rows.append(part.passage_rows + np.int32(documents))
            documents += len(part.document_ordinals)
            passages += len(part.passage_rows)
        columns = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name not in ("spans", "passage_rows")
        }
        return cls(spans=spans, passage_rows=np.concatenate(rows), **columns)

    def only(self, numbers: Iterable[int]) -> "Block | None":
        """The same block with these segments alone; none of them: no block."""
        wanted = frozenset(numbers)
        kept = [number for number in self.spans if number in wanted]
        if len(kept) == len(self.spans):
            return self
        return Block.joined([self._alone(number) for number in kept]) if kept else None

    def _alone(self, number: int) -> "Block":
        documents, passages = self.spans[number]
        columns: dict[str, Any] = {
            field.name: getattr(self, field.name)[
                documents if field.name.startswith("document_") else passages
            ]
            for field in fields(self)
            if field.name != "spans"
        }
        columns["passage_rows"] = columns["passage_rows"] - np.int32(documents.start)
        home = Span(_moved(documents, -documents.start), _moved(passages, -passages.start))
        return Block(spans={number: home}, **columns)


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """Every node of one segment's documents: whose it is, its handle, its vector."""

    rows: Places
    handles: Ints
    vectors: Vectors

    @classmethod
    def of(cls, segment: Segment) -> "Sections":
        """Documents are counted as a block of this segment alone counts them."""
        ordinals = segment.node_document[segment.node_handle == segment.node_root]
        rows = _places(ordinals, segment.node_document)
        return cls(rows, segment.node_handle, segment.node_vectors)


def _places(ordinals: Ints, wanted: Ints) -> Places:
    """At which row each of the wanted documents is."""
    order = np.argsort(ordinals, kind="stable")
    return order[np.searchsorted(ordinals, wanted, sorter=order)].astype(np.int32)


def _moved(span: slice, by: int) -> slice:
    return slice(span.start + by, span.stop + by)


# Segments in memory. They are written once, so they are kept by number; rights are not in here.


MOST_BLOCKS = 8  # that are searched one by one; more are joined into one
MOST_POSTINGS = 8_000_000  # that are kept; eight bytes each
MOST_NAMES = 200_000

Found = tuple[Places, Places]  # passages that hold a term, counted from their segment's first
_ALONE = 16  # what a term takes that is nowhere
NOWHERE: Found = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


class SegmentCache:
    """Any number of readers at once: one may let go of what another still holds.

    `generation` counts how often blocks were made or let go of.
    """

    def __init__(self) -> None:
        self.generation = 0
        self.names: dict[int, str] = {}
        self.kinds: dict[int, str] = {}
        self._blocks: tuple[Block, ...] = ()
        self._sections: dict[int, Sections] = {}
        self._passages: dict[int, Vectors] = {}
        self._postings: OrderedDict[tuple[int, str], Found] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, numbers: Iterable[int]) -> None:
        """Lets go of segments that were merged away."""
        known = frozenset(numbers)
        with self._lock:
            living = (block.only(known) for block in self._blocks)
            self._renew(block for block in living if block is not None)
            self._sections = {n: kept for n, kept in self._sections.items() if n in known}
            self._passages = {n: kept for n, kept in self._passages.items() if n in known}
            gone = [key for key in self._postings if key[0] not in known]
            for key in gone:
                self._size -= _size(self._postings.pop(key))

    def blocks(self, sql: Queries, numbers: Sequence[int]) -> tuple[tuple[Block, ...], int]:
        """Blocks that hold these segments, and perhaps others; and their generation.

        `sql` belongs to a reader who may see these.
        """
        with self._lock:
            held = {number for block in self._blocks for number in block.spans}
            if missing := [number for number in numbers if number not in held]:
                fresh = [Block.of(number, _segment(sql, number)) for number in missing]
                blocks = [*self._blocks, *_by_width(fresh)]
                self._renew(blocks if len(blocks) <= MOST_BLOCKS else _by_width(blocks))
            asked = (b for b in self._blocks if not b.spans.keys().isdisjoint(numbers))
            return tuple(asked), self.generation

    def _renew(self, blocks: Iterable[Block]) -> None:
        found = tuple(blocks)
        if found != self._blocks:
            self.generation += 1
            self._blocks = found

    def sections(self, sql: Queries, number: int) -> Sections:
        """Needed where sections are searched, so they load on demand."""
        found = self._sections.get(number)
        if found is None:
            found = Sections.of(_segment(sql, number))
            with self._lock:
                self._sections[number] = found
        return found

    def passages(self, sql: Queries, number: int, block: Block) -> Vectors:
        """Chunk vectors are needed by the flat baseline alone, so they load on demand."""
        found = self._passages.get(number)
        if found is None:
            wanted = block.passage_vectors[block.spans[number].passages].tolist()
            read: dict[int, bytes] = dict(sql.rows("passage_vectors", vectors=wanted))
            blobs = b"".join(read[vector] for vector in wanted)
            found = np.frombuffer(blobs, dtype="<i2").reshape(-1, block.width)
            with self._lock:
                self._passages[number] = found
        return found

    def postings(
        self, sql: Queries, numbers: Sequence[int], terms: Sequence[str]
    ) -> Mapping[tuple[int, str], Found]:
        """By segment and term; who asks may see these segments."""
        with self._lock:
            wanted = {
                (number, term): self._kept(number, term) for term in terms for number in numbers
            }
        lacking = sorted({term for (_, term), found in wanted.items() if found is None})
        if lacking:
            read = dict.fromkeys(((n, term) for term in lacking for n in numbers), NOWHERE)
            rows = sql.rows("postings_of_terms", terms=lacking, segments=list(numbers))
            for term, number, places, counted in rows:
                read[number, term] = _numbers(places), _numbers(counted)
            with self._lock:
                for key, found in read.items():
                    self._put(key, found)
            wanted.update(read)
        return {key: found for key, found in wanted.items() if found is not None and len(found[0])}

    def _kept(self, number: int, term: str) -> Found | None:
        found = self._postings.get((number, term))
        if found is not None:
            self._postings.move_to_end((number, term))
        return found

    def _put(self, key: tuple[int, str], found: Found) -> None:
        if key not in self._postings:
            self._postings[key] = found
            self._size += _size(found)
            while self._size > MOST_POSTINGS:
                _, gone = self._postings.popitem(last=False)
                self._size -= _size(gone)

    def name(self, named: Iterable[tuple[int, str, str]]) -> None:
        """A handle is never given twice, so its name and kind stay."""
        rows = list(named)
        if len(self.names) + len(rows) > MOST_NAMES:
            self.names, self.kinds = {}, {}
        self.kinds.update((handle, kind) for handle, _, kind in rows)
        self.names.update((handle, name) for handle, name, _ in rows)


def _segment(sql: Queries, number: int) -> Segment:
    (arrays,) = single_row(sql.row("segment_arrays", segment=number))
    return Segment.from_bytes(arrays)


def _by_width(blocks: Sequence[Block]) -> list[Block]:
    widths = sorted({block.width for block in blocks})
    return [Block.joined([b for b in blocks if b.width == width]) for width in widths]


def _size(found: Found) -> int:
    return len(found[0]) + _ALONE


def _numbers(packed: bytes) -> Places:
    return np.frombuffer(packed, dtype="<i4")
