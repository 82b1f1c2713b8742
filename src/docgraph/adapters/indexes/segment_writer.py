"""Building segments: words are counted as documents come in, and packed when there are enough."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from docgraph.adapters.indexes.postings import Packed, PostingsWriter, merged, thinned
from docgraph.adapters.indexes.segments import Ints, Segment
from docgraph.adapters.sql.checksums import segment_checksum
from docgraph.adapters.sql.database import DamagedRow, Database, Row, single_row
from docgraph.model.document import Document

# Segments in the database: written whole, dropped whole.


class StoredSegment(NamedTuple):
    """A segment with its postings, its branch, and the snapshot that it was published with."""

    segment: Segment
    postings: list[Row]
    branch: int
    snapshot: int


class SegmentRows:
    """Each method runs inside its caller's transaction.

    `group` is what a segment's documents have in common; a store that hides each document by
    itself puts all into one group.
    """

    def __init__(self, database: Database) -> None:
        self._sql = database.queries("segments.sql")
        self._stored = database.queries("checksums.sql")

    def of_branch(self, branch: int) -> list[Row]:
        """Number, group and chunks of each, the smallest first."""
        return self._sql.rows("segments_of_branch", branch=branch)

    def arrays(self, number: int) -> Segment:
        return Segment.from_bytes(single_row(self._sql.row("arrays_of_segment", segment=number))[0])

    def read(self, number: int) -> StoredSegment:
        """To be written anew: what was damaged must not get a new checksum."""
        *row, stored = single_row(self._stored.row("segments", segment=number))
        postings = self._stored.rows("postings", segment=number)
        if segment_checksum(row, postings) != stored:
            raise DamagedRow(f"segment {number} differs from its checksum")
        branch, snapshot, _, arrays = row
        return StoredSegment(Segment.from_bytes(arrays), postings, branch, snapshot)

    def store(
        self,
        segment: Segment,
        postings: Iterable[Packed],
        *,
        branch: int,
        group: int,
        snapshot: int,
    ) -> None:
        lists = list(postings)
        row = {
            "branch": branch,
            "snapshot": snapshot,
            "chunk_count": len(segment.chunk_document),
            "arrays": segment.to_bytes(),
        }
        added = self._sql.row(
            "add_segment",
            **row,
            group=group,
            versions=np.sort(segment.document_ordinal).tolist(),
            checksum=segment_checksum(row.values(), lists),
        )
        (number,) = single_row(added)
        self._sql.many(
            "add_postings",
            (
                {"segment": number, "term": term, "chunks": positions, "frequencies": counted}
                for term, positions, counted in lists
            ),
        )

    def drop(self, numbers: Sequence[int]) -> None:
        for query in ("delete_postings", "delete_segments"):
            self._sql.run(query, segments=list(numbers))

    def divide(self, number: int, parts: Mapping[int, Ints]) -> None:
        """In its place, segments with these documents alone, by group; none of them may be empty.

        Under new numbers, since segments are cached by their number.
        """
        segment, postings, branch, snapshot = self.read(number)
        for group, documents in parts.items():
            chunks = np.isin(segment.chunk_document, documents)
            rows = thinned(postings, chunks)
            kept = segment.only(chunks, np.isin(segment.document_ordinal, documents))
            self.store(kept, rows, branch=branch, group=group, snapshot=snapshot)
        self.drop([number])


FULL = 10_000  # chunks; bounds the memory an ingest needs
MOST_SMALL = 4


@dataclass(slots=True)
class SegmentBuffer:
    """Documents of one group that wait to be packed."""

    chunks: list[tuple[int, int]] = field(default_factory=list)
    documents: list[tuple[int, int]] = field(default_factory=list)
    postings: PostingsWriter = field(default_factory=PostingsWriter)


class SegmentWriter:
    def __init__(self, database: Database, branch: int, snapshot: int) -> None:
        self._rows = SegmentRows(database)
        self._branch = branch
        self._snapshot = snapshot
        self._filling: dict[int, SegmentBuffer] = {}

    def add(
        self,
        ordinal: int,
        document: Document,
        handles: dict[str, int],
        indexed: tuple[str, ...],
        *,
        group: int,
    ) -> None:
        """`indexed` holds each chunk's words with title and headings in front."""
        filling = self._filling.setdefault(group, SegmentBuffer())
        for chunk, text in zip(document.chunks, indexed, strict=True):
            filling.postings.add(text)
            filling.chunks.append((ordinal, handles[chunk.node]))
        filling.documents.append((ordinal, handles[document.id]))
        if sum(len(buffer.chunks) for buffer in self._filling.values()) >= FULL:
            self.flush()

    def flush(self) -> None:
        for group in list(self._filling):
            self._flush(group, self._filling.pop(group))

    def _flush(self, group: int, filling: SegmentBuffer) -> None:
        lengths, packed = filling.postings.packed()
        chunks = np.array(filling.chunks, dtype=np.int64).reshape(-1, 2).T
        documents = np.array(filling.documents, dtype=np.int64).T
        segment = Segment.of([*map(np.ascontiguousarray, (*chunks, lengths, *documents))])
        self._rows.store(segment, packed, branch=self._branch, group=group, snapshot=self._snapshot)

    def crowded(self) -> dict[int, list[int]]:
        """By group, small segments that are so many that they should be one.

        A full segment is left alone, so that no merge needs more memory than a few of them.
        """
        small: dict[int, list[int]] = {}
        for number, group, chunks in self._rows.of_branch(self._branch):
            if chunks < FULL // 2:
                small.setdefault(group, []).append(number)
        return {g: few[: MOST_SMALL + 1] for g, few in small.items() if len(few) > MOST_SMALL}

    def merge(self, crowded: Mapping[int, Sequence[int]]) -> None:
        """They become one; what they hold stays the same."""
        for group, numbers in crowded.items():
            self._merge(group, {number: self._rows.read(number) for number in numbers})

    def _merge(self, group: int, parts: Mapping[int, StoredSegment]) -> None:
        offsets, total = {}, 0
        for number, part in parts.items():
            offsets[number] = total
            total += len(part.segment.chunk_document)
        packed = merged(
            ((term, n, *lists) for n, part in parts.items() for term, *lists in part.postings),
            offsets,
        )
        joined = Segment.joined([part.segment for part in parts.values()])
        self._rows.store(joined, packed, branch=self._branch, group=group, snapshot=self._snapshot)
        self._rows.drop(list(parts))
