"""pgvector's type for psycopg: whole numbers go in, and come back as int16 in bytes.

In binary a vector is two int16 (how many numbers, and zero) and a big-endian float4 for each.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from docgraph.adapters.sql.checksums import require_intact, with_checksum
from docgraph.adapters.sql.database import DamagedRow, Database
from docgraph.model.vector import IntVector

_HEADER = struct.Struct(">hh")


@dataclass(frozen=True, slots=True)
class PgVector:
    """A vector as a query's value: in parameters, in lists of them, and in COPY."""

    values: IntVector

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or not self.values.size:
            raise ValueError(f"a vector has one number or more, not shape {self.values.shape}")

    def __bytes__(self) -> bytes:
        """As it is read again."""
        return self.values.astype("<i2").tobytes()


class _TextDumper(Dumper):
    def dump(self, obj: PgVector) -> Buffer:
        return f"[{','.join(map(str, obj.values.tolist()))}]".encode()


class _BinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: PgVector) -> Buffer:
        return _HEADER.pack(obj.values.size, 0) + obj.values.astype(">f4").tobytes()


class _TextLoader(Loader):
    def load(self, data: Buffer) -> bytes:
        numbers = bytes(data).strip(b"[]").split(b",")
        return _packed(np.array(numbers, dtype=np.float32))


class _BinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return _packed(np.frombuffer(data, dtype=">f4", offset=_HEADER.size))


def _packed(numbers: npt.NDArray[np.float32]) -> bytes:
    with np.errstate(invalid="ignore"):
        whole = numbers.astype("<i2")
    if not np.array_equal(whole, numbers):
        raise DamagedRow("a stored vector has numbers that are not whole")
    return whole.tobytes()


def register_vectors(connection: Connection[Any], oid: int, array_oid: int) -> None:
    """On this connection alone: the type has another number in every database."""
    TypeInfo("vector", oid, array_oid).register(connection)
    adapters = connection.adapters
    for loader in (_TextLoader, _BinaryLoader):
        adapters.register_loader(oid, loader)
    # The last one is taken where a query does not ask for either.
    for dumper in (_TextDumper, _BinaryDumper):
        adapters.register_dumper(PgVector, type(dumper.__name__, (dumper,), {"oid": oid}))


# Stored vectors, looked up many at a time: every query is a round trip.


class PostgresStoredVectors:
    def __init__(self, database: Database, space: int) -> None:
        self._database = database
        self._sql = database.queries("stored_vectors.sql")
        self._space = space
        self._numbers: dict[str, int] = {}

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        rows = self._sql.rows("stored_vectors", space=self._space, hashes=_bytes(keys))
        require_intact("vectors", (row[1:] for row in rows))
        self._numbers.update((hash_.hex(), number) for number, _, hash_, _, _ in rows)
        return {hash_.hex(): np.frombuffer(vector, "<i2") for _, _, hash_, vector, _ in rows}

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        with self._database.transaction():
            self._sql.many(
                "add_vector",
                (
                    with_checksum(
                        "vectors", {"space": self._space, "hash": hash_, "vector": PgVector(vector)}
                    )
                    for hash_, vector in zip(_bytes(vectors), vectors.values(), strict=True)
                ),
            )
            self._look_up(vectors)

    def numbers(self, keys: Iterable[str]) -> dict[str, int]:
        distinct = list(dict.fromkeys(keys))
        self._look_up(key for key in distinct if key not in self._numbers)
        found = {key: self._numbers[key] for key in distinct}
        self._numbers.clear()
        return found

    def _look_up(self, keys: Iterable[str]) -> None:
        if hashes := _bytes(keys):
            rows = self._sql.rows("vector_ids", space=self._space, hashes=hashes)
            self._numbers.update((hash_.hex(), number) for hash_, number in rows)


def _bytes(keys: Iterable[str]) -> list[bytes]:
    return [bytes.fromhex(key) for key in keys]
