"""Stored vectors on SQLite, looked up one by one: a query costs no round trip."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from docgraph.adapters.indexes.segments import pack
from docgraph.adapters.sql.checksums import require_intact, with_checksum
from docgraph.adapters.sql.database import DamagedRow, single_row
from docgraph.adapters.sqlite.database import SqliteDatabase
from docgraph.model.vector import IntVector


class SqliteStoredVectors:
    def __init__(self, database: SqliteDatabase, space: int) -> None:
        self._database = database
        self._sql = database.queries("vectors.sql")
        self._space = space
        self._numbers: dict[str, int] = {}
        self._absent: set[str] = set()

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        found: dict[str, IntVector] = {}
        for key in keys:
            row = self._sql.row("find_vector", space=self._space, hash=bytes.fromhex(key))
            if row is None:
                self._absent.add(key)
            else:
                number, *stored = row
                require_intact("vectors", (stored,))
                self._numbers[key] = number
                found[key] = np.frombuffer(row[3], dtype="<i2")
        return found

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        with self._database.transaction():
            new = [k for k in vectors if k in self._absent or self._number(k) is None]
            (last,) = single_row(self._sql.row("last_vector_id"))
            numbers = dict(zip(new, range(last + 1, last + 1 + len(new)), strict=True))
            self._sql.many(
                "add_vector",
                (
                    with_checksum(
                        "vectors",
                        {
                            "id": number,
                            "space": self._space,
                            "hash": bytes.fromhex(key),
                            "vector": pack(vectors[key], np.int16),
                        },
                    )
                    for key, number in numbers.items()
                ),
            )
        self._numbers.update(numbers)
        self._absent.difference_update(new)

    def numbers(self, keys: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for key in keys:
            number = self._numbers.get(key) or self._number(key)
            if number is None:  # it was added before the chunk
                raise DamagedRow("the vector of a chunk is missing")
            found[key] = number
        self._numbers.clear()
        return found

    def _number(self, key: str) -> int | None:
        row = self._sql.row("vector_id", space=self._space, hash=bytes.fromhex(key))
        return None if row is None else int(row[0])
