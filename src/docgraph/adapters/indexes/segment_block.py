"""A block: columns of several segments side by side in memory, joined and taken apart again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.indexes.segments import Ints, Segment
from docgraph.adapters.sql.database import DamagedRow

SmallInts = npt.NDArray[np.int32]
Group = tuple[int, ...]  # the numbers of a block's segments


class SegmentSpan(NamedTuple):
    """Where one segment's documents and chunks are in its block."""

    documents: slice
    chunks: slice


@dataclass(frozen=True, slots=True, eq=False)
class SegmentBlock:
    """Documents by row: version and node. Chunks by position; `chunk_rows` are their documents'."""

    spans: Mapping[int, SegmentSpan]
    document_ordinals: Ints
    document_handles: Ints
    chunk_rows: SmallInts
    chunk_nodes: Ints
    chunk_lengths: SmallInts

    @property
    def group(self) -> Group:
        return tuple(self.spans)

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in _COLUMNS)

    @classmethod
    def of(cls, number: int, segment: Segment) -> "SegmentBlock":
        """Of one segment."""
        ordinals = segment.document_ordinal
        rows = rows_of(ordinals, segment.chunk_document)
        return cls(
            spans={number: SegmentSpan(slice(0, len(ordinals)), slice(0, len(rows)))},
            document_ordinals=ordinals,
            document_handles=segment.document_handle,
            chunk_rows=rows,
            chunk_nodes=segment.chunk_node,
            chunk_lengths=segment.chunk_length.astype(np.int32),
        )

    @classmethod
    def joined(cls, parts: Sequence["SegmentBlock"]) -> "SegmentBlock":
        if len(parts) == 1:
            return parts[0]
        spans: dict[int, SegmentSpan] = {}
        documents = chunks = 0
        rows: list[SmallInts] = []
        for part in parts:
            for number, span in part.spans.items():
                spans[number] = SegmentSpan(*(map(_moved, span, (documents, chunks))))
            rows.append(part.chunk_rows + np.int32(documents))
            documents += len(part.document_ordinals)
            chunks += len(part.chunk_rows)
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS
        }
        columns["chunk_rows"] = np.concatenate(rows)
        return cls(spans=spans, **columns)

    def only(self, numbers: Iterable[int]) -> "SegmentBlock | None":
        """The same block with these segments alone; none of them: no block."""
        selected = frozenset(numbers)
        kept = [number for number in self.spans if number in selected]
        if len(kept) == len(self.spans):
            return self
        return SegmentBlock.joined([self._alone(number) for number in kept]) if kept else None

    def _alone(self, number: int) -> "SegmentBlock":
        documents, chunks = self.spans[number]
        columns: dict[str, Any] = {
            name: getattr(self, name)[documents if name.startswith("document_") else chunks]
            for name in _COLUMNS
        }
        columns["chunk_rows"] = columns["chunk_rows"] - np.int32(documents.start)
        span = SegmentSpan(_moved(documents, -documents.start), _moved(chunks, -chunks.start))
        return SegmentBlock(spans={number: span}, **columns)


_COLUMNS = tuple(
    field.name for field in fields(SegmentBlock) if field.name.startswith(("document_", "chunk_"))
)


def rows_of(ordinals: Ints, documents: Ints) -> SmallInts:
    """At which row each of the documents is."""
    order = np.argsort(ordinals, kind="stable")
    places = np.searchsorted(ordinals, documents, sorter=order)
    rows: Ints = order[np.minimum(places, len(order) - 1)] if len(order) else places
    if len(documents) and not (len(order) and np.array_equal(ordinals[rows], documents)):
        raise DamagedRow("a segment has chunks of no document")
    return rows.astype(np.int32)


def _moved(span: slice, by: int) -> slice:
    return slice(span.start + by, span.stop + by)
