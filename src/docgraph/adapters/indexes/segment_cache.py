"""Segments in memory. They are written once, so they are kept by number; rights are not in here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segment_block import Group, Sections, SegmentBlock, SmallInts
from docgraph.adapters.indexes.segments import Segment, stacked_vectors, unpack_numbers
from docgraph.adapters.sql.database import DamagedRow, Queries, single_row
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache

MOST_BLOCKS = 8  # that are searched one by one; more are joined
BLOCK_BYTES = 2**28  # of columns and vectors, up to which blocks are joined

Vectors = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float32]
Counts = tuple[SmallInts, SmallInts]  # chunks that hold a term, counted from their segment's first
NOWHERE: Counts = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))
_Loaded = tuple[SegmentBlock, Floats | None]  # a block, and its documents' vectors


class SegmentCache:
    """One history's. Any number of readers at once; `sql` belongs to one who may see what is read.

    Blocks may hold segments that another reader asked for.
    """

    def __init__(self, cache: TenantCache, history: str, *, vectors: bool = True) -> None:
        """Without `vectors`, those of documents and sections are never read."""
        self._vectors = vectors
        self._cache = cache
        self._history = history
        self._lock = cache.loading(history)
        self._groups: CachePart[None, tuple[Group, ...]] = CachePart(cache, history, "groups")
        self._blocks: CachePart[Group, SegmentBlock] = CachePart(cache, history, "blocks")
        self._documents: CachePart[Group, Floats] = CachePart(cache, history, "document_vectors")
        self._sections: CachePart[int, Sections] = CachePart(cache, history, "sections")
        self._chunks: CachePart[int, Vectors] = CachePart(cache, history, "chunk_vectors")
        self._postings: CachePart[tuple[int, str], Counts] = CachePart(cache, history, "postings")

    def block(self, group: Group) -> SegmentBlock | None:
        return self._blocks.get(group)

    def blocks(self, sql: Queries, numbers: Sequence[int]) -> tuple[SegmentBlock, ...]:
        """Those that hold these segments."""
        with self._lock:
            blocks = self._known()
            held = {number for block in blocks for number in block.spans}
            if missing := [number for number in numbers if number not in held]:
                read = ((SegmentBlock.of(n, s), _roots(s)) for n, s in self._read(sql, missing))
                blocks += [self._put(loaded) for loaded in _joined(read)]
                if len(blocks) > MOST_BLOCKS:
                    parts = ((block, self._documents.get(block.group)) for block in blocks)
                    blocks = [self._put(loaded) for loaded in _joined(parts)]
                self._arrange(blocks)
            return tuple(b for b in blocks if not b.spans.keys().isdisjoint(numbers))

    def _known(self) -> list[SegmentBlock]:
        groups = self._groups.get(None) or ()
        return [block for group in groups if (block := self._blocks.get(group)) is not None]

    def _put(self, loaded: _Loaded) -> SegmentBlock:
        block, vectors = loaded
        if self._blocks.get(block.group) is not block:
            self._blocks.put(block.group, block, block.nbytes)
            if vectors is not None:
                self._documents.put(block.group, vectors, vectors.nbytes)
        return block

    def _arrange(self, blocks: Sequence[SegmentBlock]) -> None:
        """These are all blocks from now on; a view of another has to be made anew."""
        before, groups = self._groups.get(None) or (), tuple(block.group for block in blocks)
        self._groups.put(None, groups, 8 * sum(map(len, groups)))
        if not set(before).issubset(groups):
            self._cache.keep(
                self._history,
                {
                    "blocks": groups.__contains__,
                    "document_vectors": lambda group: group in groups or len(group) == 1,
                    "views": lambda _: False,
                },
            )

    def keep(self, numbers: Iterable[int]) -> None:
        """Lets go of segments that were merged away."""
        known = frozenset(numbers)
        with self._lock:
            rest = (part for block in self._known() for part in self._only(block, known))
            self._arrange([self._put(loaded) for loaded in rest])
        self._cache.keep(
            self._history,
            {
                "document_vectors": known.issuperset,
                "sections": known.__contains__,
                "chunk_vectors": known.__contains__,
                "postings": lambda key: key[0] in known,
            },
        )

    def _only(self, block: SegmentBlock, known: frozenset[int]) -> Iterator[_Loaded]:
        rest, vectors = block.only(known), self._documents.get(block.group)
        if rest is not None:
            if vectors is not None and rest is not block:
                spans = [block.spans[number].documents for number in rest.spans]
                vectors = np.concatenate([vectors[span] for span in spans])
            yield rest, vectors

    def document_vectors(
        self, sql: Queries, block: SegmentBlock, numbers: Sequence[int]
    ) -> Iterator[tuple[slice, Floats]]:
        """Rows of the block, and their vectors; segment by segment where not all are kept."""
        whole = self._documents.get(block.group)
        if whole is not None:
            yield slice(0, len(whole)), whole
            return
        for number in numbers:
            vectors = self._documents.get((number,))
            if vectors is None:
                ((_, segment),) = self._read(sql, [number])
                vectors = _roots(segment)
                self._documents.put((number,), vectors, vectors.nbytes)
            yield block.spans[number].documents, vectors

    def _read(self, sql: Queries, numbers: Iterable[int]) -> Iterator[tuple[int, Segment]]:
        for number in numbers:
            query = "segment_arrays" if self._vectors else "segment_columns"
            (arrays,) = single_row(sql.row(query, segment=number))
            read = Segment.from_bytes if self._vectors else Segment.from_columns
            yield number, read(arrays)

    def sections(self, sql: Queries, number: int) -> Sections:
        """Needed where sections are searched, so they load on demand."""
        found = self._sections.get(number)
        if found is None:
            ((_, segment),) = self._read(sql, [number])
            found = Sections.of(segment)
            self._sections.put(number, found, found.nbytes)
        return found

    def chunk_vectors(self, sql: Queries, number: int, block: SegmentBlock) -> Vectors:
        """Needed by the flat baseline alone, so they load on demand."""
        found = self._chunks.get(number)
        if found is None:
            ids = block.chunk_vector_ids[block.spans[number].chunks].tolist()
            read: dict[int, bytes] = dict(sql.rows("chunk_vectors", vectors=ids))
            if not read.keys() >= set(ids):
                raise DamagedRow("the vector of a chunk is missing")
            found = stacked_vectors([read[vector] for vector in ids], block.width)
            self._chunks.put(number, found, found.nbytes)
        return found

    def postings(
        self, sql: Queries, numbers: Sequence[int], terms: Sequence[str]
    ) -> Mapping[tuple[int, str], Counts]:
        """By segment and term."""
        postings = {(n, term): self._postings.get((n, term)) for term in terms for n in numbers}
        lacking = sorted({term for (_, term), found in postings.items() if found is None})
        if lacking:
            read = dict.fromkeys(((n, term) for term in lacking for n in numbers), NOWHERE)
            rows = sql.rows("postings_of_terms", terms=lacking, segments=list(numbers))
            for term, number, chunks, frequencies in rows:
                read[number, term] = _counts(chunks, frequencies)
            for key, found in read.items():
                self._postings.put(key, found, found[0].nbytes + found[1].nbytes)
            postings.update(read)
        return {
            key: found for key, found in postings.items() if found is not None and len(found[0])
        }


def _roots(segment: Segment) -> Floats:
    """Vectors of documents, ready to multiply."""
    return segment.node_vectors[segment.root_rows].astype(np.float32)


def _joined(parts: Iterable[_Loaded]) -> Iterator[_Loaded]:
    """By width, and no larger than a block may be."""
    batches: dict[int, list[_Loaded]] = {}
    for part in parts:
        batch = batches.setdefault(part[0].width, [])
        if batch and sum(map(_size, (*batch, part))) > BLOCK_BYTES:
            yield _join(batch)
            batch.clear()
        batch.append(part)
    for width in sorted(batches):
        yield _join(batches[width])


def _join(batch: Sequence[_Loaded]) -> _Loaded:
    """Without vectors where those of some are not kept."""
    block = SegmentBlock.joined([part for part, _ in batch])
    vectors = [own for _, own in batch if own is not None]
    if len(vectors) < len(batch):
        return block, None
    return block, vectors[0] if len(vectors) == 1 else np.concatenate(vectors)


def _size(loaded: _Loaded) -> int:
    block, vectors = loaded
    return block.nbytes + (0 if vectors is None else vectors.nbytes)


def _counts(chunks: bytes, frequencies: bytes) -> Counts:
    counts = unpack_numbers(chunks), unpack_numbers(frequencies)
    if len(counts[0]) != len(counts[1]):
        raise DamagedRow("the postings of a term are cut off")
    return counts
