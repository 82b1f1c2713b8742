"""Segments in memory. They are written once, so they are kept by number; rights are not in here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from docgraph.adapters.indexes.segment_block import Group, SegmentBlock, SmallInts
from docgraph.adapters.indexes.segments import Segment, unpack_numbers
from docgraph.adapters.sql.database import DamagedRow, Queries, single_row
from docgraph.adapters.sql.tenant_cache import CachePart, TenantCache

MOST_BLOCKS = 8  # that are searched one by one; more are joined
BLOCK_BYTES = 2**28  # of columns, up to which blocks are joined

Counts = tuple[SmallInts, SmallInts]  # chunks that hold a term, counted from their segment's first
NOWHERE: Counts = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


class SegmentCache:
    """One history's. Any number of readers at once; `sql` belongs to one who may see what is read.

    Blocks may hold segments that another reader asked for.
    """

    def __init__(self, cache: TenantCache, history: str) -> None:
        self._cache = cache
        self._history = history
        self._lock = cache.loading(history)
        self._groups: CachePart[None, tuple[Group, ...]] = CachePart(cache, history, "groups")
        self._blocks: CachePart[Group, SegmentBlock] = CachePart(cache, history, "blocks")
        self._postings: CachePart[tuple[int, str], Counts] = CachePart(cache, history, "postings")

    def block(self, group: Group) -> SegmentBlock | None:
        return self._blocks.get(group)

    def blocks(self, sql: Queries, numbers: Sequence[int]) -> tuple[SegmentBlock, ...]:
        """Those that hold these segments."""
        with self._lock:
            blocks = self._known()
            held = {number for block in blocks for number in block.spans}
            if missing := [number for number in numbers if number not in held]:
                blocks += [self._put(block) for block in _joined(_read(sql, missing))]
                if len(blocks) > MOST_BLOCKS:
                    blocks = [self._put(block) for block in _joined(blocks)]
                self._arrange(blocks)
            return tuple(b for b in blocks if not b.spans.keys().isdisjoint(numbers))

    def _known(self) -> list[SegmentBlock]:
        groups = self._groups.get(None) or ()
        return [block for group in groups if (block := self._blocks.get(group)) is not None]

    def _put(self, block: SegmentBlock) -> SegmentBlock:
        if self._blocks.get(block.group) is not block:
            self._blocks.put(block.group, block, block.nbytes)
        return block

    def _arrange(self, blocks: Sequence[SegmentBlock]) -> None:
        """These are all blocks from now on; a view of another has to be made anew."""
        before, groups = self._groups.get(None) or (), tuple(block.group for block in blocks)
        self._groups.put(None, groups, 8 * sum(map(len, groups)))
        if not set(before).issubset(groups):
            self._cache.keep(
                self._history, {"blocks": groups.__contains__, "views": lambda _: False}
            )

    def keep(self, numbers: Iterable[int]) -> None:
        """Lets go of segments that were merged away."""
        known = frozenset(numbers)
        with self._lock:
            rest = (block.only(known) for block in self._known())
            self._arrange([self._put(block) for block in rest if block is not None])
        self._cache.keep(self._history, {"postings": lambda key: key[0] in known})

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


def _read(sql: Queries, numbers: Iterable[int]) -> Iterator[SegmentBlock]:
    for number in numbers:
        (arrays,) = single_row(sql.row("segment_arrays", segment=number))
        yield SegmentBlock.of(number, Segment.from_bytes(arrays))


def _joined(parts: Iterable[SegmentBlock]) -> Iterator[SegmentBlock]:
    """None larger than a block may be."""
    batch: list[SegmentBlock] = []
    for part in parts:
        if batch and sum(one.nbytes for one in (*batch, part)) > BLOCK_BYTES:
            yield SegmentBlock.joined(batch)
            batch.clear()
        batch.append(part)
    if batch:
        yield SegmentBlock.joined(batch)


def _counts(chunks: bytes, frequencies: bytes) -> Counts:
    counts = unpack_numbers(chunks), unpack_numbers(frequencies)
    if len(counts[0]) != len(counts[1]):
        raise DamagedRow("the postings of a term are cut off")
    return counts
