"""A block: several segments side by side in memory, narrow, their summaries ready to multiply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.segment import Ints, Segment

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
