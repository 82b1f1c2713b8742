"""Building segments: words are counted as documents come in, and packed when there are enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from docgraph.adapters.sql.database import Database
from docgraph.adapters.sql.postings import PostingsWriter, merged
from docgraph.adapters.sql.segment import Segment
from docgraph.adapters.sql.segment_rows import SegmentRows
from docgraph.model.document import Document
from docgraph.model.vector import IntVector

FULL = 10_000  # passages; bounds the memory an ingest needs
MOST_SMALL = 4


@dataclass(slots=True)
class Filling:
    """Documents of one group that wait to be packed."""

    passages: list[tuple[int, int, int, int]] = field(default_factory=list)
    nodes: list[tuple[int, int, int]] = field(default_factory=list)
    vectors: list[IntVector] = field(default_factory=list)
    postings: PostingsWriter = field(default_factory=PostingsWriter)


class SegmentWriter:
    def __init__(self, database: Database, branch: int, born: int) -> None:
        self._rows = SegmentRows(database)
        self._branch = branch
        self._born = born
        self._filling: dict[int, Filling] = {}

    def add(
        self,
        ordinal: int,
        document: Document,
        handles: dict[str, int],
        indexed: tuple[str, ...],
        vector_ids: list[int],
        node_vectors: tuple[IntVector, ...],
        *,
        group: int,
    ) -> None:
        """`indexed` holds each chunk's words with title and headings in front."""
        root = handles[document.id]
        filling = self._filling.setdefault(group, Filling())
        for chunk, text, vector in zip(document.chunks, indexed, vector_ids, strict=True):
            filling.postings.add(text)
            filling.passages.append((ordinal, handles[chunk.node], root, vector))
        filling.nodes.extend((ordinal, handles[node.id], root) for node in document.nodes)
        filling.vectors.extend(node_vectors)
        if sum(len(held.passages) for held in self._filling.values()) >= FULL:
            self.flush()

    def flush(self) -> None:
        for group in list(self._filling):
            self._flush(group, self._filling.pop(group))

    def _flush(self, group: int, filling: Filling) -> None:
        lengths, packed = filling.postings.packed()
        *places, vectors = np.array(filling.passages, dtype=np.int64).reshape(-1, 4).T
        nodes = np.array(filling.nodes, dtype=np.int64).T
        columns = map(np.ascontiguousarray, (*places, lengths, vectors, *nodes))
        segment = Segment.of([*columns, np.array(filling.vectors, dtype=np.int16)])
        self._rows.store(segment, packed, branch=self._branch, group=group, born=self._born)

    def crowded(self) -> dict[int, list[int]]:
        """By group, small segments that are so many that they should be one.

        A full segment is left alone, so that no merge needs more memory than a few of them.
        """
        small: dict[int, list[int]] = {}
        for number, group, passages in self._rows.of_branch(self._branch):
            if passages < FULL // 2:
                small.setdefault(group, []).append(number)
        return {g: few[: MOST_SMALL + 1] for g, few in small.items() if len(few) > MOST_SMALL}

    def merge(self, crowded: Mapping[int, Sequence[int]]) -> None:
        """They become one; what they hold stays the same."""
        for group, numbers in crowded.items():
            parts = {number: self._rows.arrays(number) for number in numbers}
            for width in {part.width for part in parts.values()}:
                self._merge(group, {n: p for n, p in parts.items() if p.width == width})

    def _merge(self, group: int, parts: Mapping[int, Segment]) -> None:
        numbers = list(parts)
        if len(numbers) == 1:
            return
        offsets, total = {}, 0
        for number, part in parts.items():
            offsets[number] = total
            total += len(part.passage_document)
        packed = merged(self._rows.postings(numbers), offsets)
        joined = Segment.joined(list(parts.values()))
        self._rows.store(joined, packed, branch=self._branch, group=group, born=self._born)
        self._rows.drop(numbers)
