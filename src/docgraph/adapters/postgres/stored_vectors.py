"""Stored vectors on Postgres, looked up many at a time: every query is a round trip."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from docgraph.adapters.postgres.database import PostgresDatabase
from docgraph.model.vector import IntVector


class PostgresEmbeddingWriter:
    def __init__(self, database: PostgresDatabase, space: int) -> None:
        self._database = database
        self._sql = database.queries("stored_vectors.sql")
        self._space = space
        self._numbers: dict[str, int] = {}

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        rows = self._sql.rows("stored_vectors", space=self._space, hashes=_bytes(keys))
        self._numbers.update((hash_.hex(), number) for hash_, number, _ in rows)
        return {hash_.hex(): np.frombuffer(vector, dtype="<i2") for hash_, _, vector in rows}

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        with self._database.transaction():
            self._sql.many(
                "add_vector",
                (
                    {"space": self._space, "hash": hash_, "vector": self._database.vector(vector)}
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
