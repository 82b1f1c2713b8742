"""A segment's arrays: what search needs of chunks and nodes, packed into one blob."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import DamagedRow

Ints = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
_HEADER = struct.Struct("<QQQ")


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
        """How many chunks and nodes there are, and how many dimensions; then the columns."""
        chunks, nodes = len(self.chunk_document), len(self.node_document)
        columns = (getattr(self, name) for name in self.__slots__[:-1])
        return b"".join(
            (
                _HEADER.pack(chunks, nodes, self.width),
                *(pack(column, np.int64) for column in columns),
                pack(self.node_vectors, np.int16),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "Segment":
        columns, rest, (nodes, width) = _columns(cls.__slots__[:-1], data)
        if len(rest) != 2 * nodes * width:
            raise DamagedRow("the arrays of a segment have another length than they should")
        vectors = np.frombuffer(rest, dtype="<i2").astype(np.int16).reshape(nodes, width)
        return cls.of([*columns, vectors])

    @classmethod
    def from_columns(cls, data: bytes) -> "Segment":
        """Of all but the vectors, which come last: of no dimension here."""
        columns, _, (nodes, _) = _columns(cls.__slots__[:-1], data)
        return cls.of([*columns, np.empty((nodes, 0), dtype=np.int16)])

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


def _columns(names: Sequence[str], data: bytes) -> tuple[list[Ints], memoryview, tuple[int, int]]:
    """All columns but the vectors, what follows, and how many nodes and dimensions there are."""
    if len(data) < _HEADER.size:
        raise DamagedRow("the arrays of a segment are cut off")
    chunks, nodes, width = _HEADER.unpack_from(data)
    sizes = [chunks if name.startswith("chunk_") else nodes for name in names]
    begin = _HEADER.size
    if not nodes or len(data) < begin + 8 * sum(sizes):
        raise DamagedRow("the arrays of a segment have another length than they should")
    columns: list[Ints] = []
    for size in sizes:
        columns.append(np.frombuffer(data, "<i8", size, begin).astype(np.int64))
        begin += 8 * size
    return columns, memoryview(data)[begin:], (nodes, width)


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


def stacked_vectors(vectors: Sequence[bytes], width: int) -> npt.NDArray[np.int16]:
    """Stored vectors of one width, one below the other."""
    if not {2 * width}.issuperset(map(len, vectors)):
        raise DamagedRow("a stored vector has another length than it should")
    return np.frombuffer(b"".join(vectors), dtype="<i2").reshape(len(vectors), width)
