"""A segment's arrays: what search needs of chunks and nodes, packed into one blob."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Side by side: one row per chunk, one row per node. Handles are those of nodes."""

    chunk_document: Ints
    chunk_node: Ints
    chunk_root: Ints
    chunk_length: Ints
    chunk_vector: Ints
    node_document: Ints
    node_handle: Ints
    node_root: Ints
    node_vectors: npt.NDArray[np.int16]

    @property
    def width(self) -> int:
        """Dimensions of its vectors: those of the model that embedded them."""
        return int(self.node_vectors.shape[1])

    @property
    def root_rows(self) -> Ints:
        """Rows of the nodes that are documents."""
        return np.flatnonzero(self.node_handle == self.node_root)

    def to_bytes(self) -> bytes:
        buffer = io.BytesIO()
        for name in self.__slots__:
            np.save(buffer, getattr(self, name), allow_pickle=False)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Segment":
        buffer = io.BytesIO(data)
        return cls.of([np.load(buffer, allow_pickle=False) for _ in cls.__slots__])

    @classmethod
    def from_columns(cls, data: bytes) -> "Segment":
        """Of all but the vectors, which come last: of no dimension here."""
        buffer = io.BytesIO(data)
        columns = [np.load(buffer, allow_pickle=False) for _ in cls.__slots__[:-1]]
        return cls.of([*columns, np.empty((len(columns[-1]), 0), dtype=np.int16)])

    @classmethod
    def of(cls, columns: "list[npt.NDArray[Any]]") -> "Segment":
        return cls(*columns)

    @classmethod
    def joined(cls, parts: "list[Segment]") -> "Segment":
        """Chunks and nodes of all parts, one after the other."""
        return cls.of(
            [np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__]
        )

    def only(self, chunks: "npt.NDArray[np.bool_]", nodes: "npt.NDArray[np.bool_]") -> "Segment":
        """The same segment with these chunks and nodes alone."""
        return self.of(
            [
                getattr(self, name)[chunks if name.startswith("chunk_") else nodes]
                for name in self.__slots__
            ]
        )


WIDTH = 4  # bytes of a number, as they are packed unless said otherwise


def pack(values: "list[int] | npt.NDArray[Any]", kind: Any = np.int32) -> bytes:
    return np.asarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()


def unpack(data: bytes, kind: Any = np.int32) -> Ints:
    return np.frombuffer(data, dtype=np.dtype(kind).newbyteorder("<")).astype(np.int64)
