"""A segment's arrays: what search needs of chunks and documents, packed into one blob."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import DamagedRow

Ints = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
_HEADER = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Side by side: one row per chunk, one row per document. Documents are named by the ordinals of
    their versions; handles are those of nodes."""

    chunk_document: Ints
    chunk_node: Ints
    chunk_length: Ints
    document_ordinal: Ints
    document_handle: Ints

    def to_bytes(self) -> bytes:
        """How many chunks and documents there are; then the columns."""
        header = _HEADER.pack(len(self.chunk_document), len(self.document_ordinal))
        columns = (pack(getattr(self, name), np.int64) for name in self.__slots__)
        return b"".join((header, *columns))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Segment":
        if len(data) < _HEADER.size:
            raise DamagedRow("the arrays of a segment are cut off")
        chunks, documents = _HEADER.unpack_from(data)
        sizes = [chunks if name.startswith("chunk_") else documents for name in cls.__slots__]
        begin = _HEADER.size
        if not documents or len(data) != begin + 8 * sum(sizes):
            raise DamagedRow("the arrays of a segment have another length than they should")
        columns: list[Ints] = []
        for size in sizes:
            columns.append(np.frombuffer(data, "<i8", size, begin).astype(np.int64))
            begin += 8 * size
        return cls.of(columns)

    @classmethod
    def of(cls, columns: "Sequence[Ints]") -> "Segment":
        return cls(*columns)

    @classmethod
    def joined(cls, parts: "list[Segment]") -> "Segment":
        """Chunks and documents of all parts, one after the other."""
        return cls.of(
            [np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__]
        )

    def only(
        self, chunks: "npt.NDArray[np.bool_]", documents: "npt.NDArray[np.bool_]"
    ) -> "Segment":
        """The same segment with these chunks and documents alone."""
        return self.of(
            [
                getattr(self, name)[chunks if name.startswith("chunk_") else documents]
                for name in self.__slots__
            ]
        )


def pack(values: "npt.NDArray[Any]", kind: Any) -> bytes:
    return np.asarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()


# Numbers are packed in as many bytes as the largest of them needs; the first byte says how many.
_KINDS: dict[int, np.dtype[Any]] = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<i4")}


def unpack_numbers(data: bytes) -> SmallInts:
    """Raises DamagedRow for anything but packed numbers."""
    kind = _KINDS.get(data[0]) if data else None
    if kind is None or (len(data) - 1) % kind.itemsize:
        raise DamagedRow("the postings of a term are cut off")
    return np.frombuffer(data, dtype=kind, offset=1).astype(np.int32)


def pack_numbers(numbers: npt.ArrayLike) -> bytes:
    values = np.asarray(numbers, dtype=np.int64)
    largest = int(values.max(initial=0))
    width = 1 if largest < 2**8 else 2 if largest < 2**16 else 4
    return bytes((width,)) + values.astype(_KINDS[width]).tobytes()
