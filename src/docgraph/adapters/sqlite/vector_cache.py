"""A user's cache of vectors: a text that was embedded once is not embedded again for another store.

It lies outside of any store, and may forget any vector. What fails with it is logged, and ends no
ingest.
"""

import hashlib
import logging
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from docgraph.adapters.indexes.segments import pack
from docgraph.adapters.sqlite.side_files import OpenSideFile, SideFile
from docgraph.model.errors import StoreError
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector

_LOG = logging.getLogger("docgraph.vector_cache")
_FILE = SideFile(
    kind="vector cache",
    application_id=0x646F6376,  # "docv"
    version=1,
    schema="vector_cache_schema.sql",
)
FILE_NAME = "vectors.db"
_WAIT = 5  # seconds for other writers; without the cache it takes longer, and nothing else
_HASH_BYTES = 16
_ROW_BYTES = 192  # of a row and its index entries beside the vector, and of pages that are not full
_FIND = "SELECT id, vector, used, checksum FROM cached_vectors WHERE hash = ?"
_ADD = (
    "INSERT INTO cached_vectors (hash, vector, used, checksum) VALUES (?, ?, ?, ?) "
    "ON CONFLICT DO NOTHING"
)
_USE = "UPDATE cached_vectors SET used = ? WHERE id = ?"
_REMOVE = """\
DELETE FROM cached_vectors WHERE id IN
    (SELECT id FROM cached_vectors ORDER BY used, id
     LIMIT (SELECT (count(*) + 7) / 8 FROM cached_vectors))
"""


class SqliteVectorCache:
    """Vectors of one tenant and one embedder. `shared` is another user's file, which is only read.

    The file takes at most `max_bytes`: those that were not used for longest go first.
    """

    def __init__(
        self,
        folder: Path,
        tenant: str,
        embedder: EmbedderIdentity,
        *,
        max_bytes: int,
        today: Callable[[], int],
        shared: Path | None = None,
    ) -> None:
        self._file = OpenSideFile(_FILE, folder / FILE_NAME, _WAIT)
        self._space = f"{tenant}\0{embedder.digest}\0"
        self._width = embedder.dimensions
        self._max_bytes = max_bytes
        self._today = today
        self._shared = shared / FILE_NAME if shared else None
        self._failed = False

    def find(self, keys: Sequence[str]) -> dict[str, IntVector]:
        found: dict[str, IntVector] = {}
        with self._errors_logged():
            found |= self._find_own(keys)
            missing = [key for key in keys if key not in found]
            if self._shared is not None and missing:
                found |= self._find_shared(self._shared, missing)
        return found

    def add(self, vectors: Mapping[str, IntVector]) -> None:
        today = self._today()
        packed = ((self._hash(key), pack(one, np.int16)) for key, one in vectors.items())
        rows = [(hash_, data, today, zlib.crc32(hash_ + data)) for hash_, data in packed]
        with self._errors_logged():
            if rows and not self._failed:
                self._insert(rows)

    def _insert(self, rows: Sequence[tuple[bytes, bytes, int, int]]) -> None:
        """Space is made before it is taken: the file never gets smaller."""
        row_bytes = 2 * self._width + _ROW_BYTES
        fitting = rows[: self._max_bytes // (2 * row_bytes)]
        with self._file.write_transaction() as connection:
            while _used_bytes(connection) + row_bytes * len(fitting) > self._max_bytes:
                if not connection.execute(_REMOVE).rowcount:
                    return
            connection.executemany(_ADD, fitting)

    def close(self) -> None:
        """All is in the file then, and nothing in its log: the file can be copied."""
        with self._errors_logged():
            if self._file.path.exists() and not self._failed:
                self._file.empty_log()
        self._file.close()

    def _find_own(self, keys: Sequence[str]) -> dict[str, IntVector]:
        if self._failed or not self._file.path.exists():
            return {}
        today = self._today()
        with self._file.short_read_transaction() as connection:
            assert connection is not None, "the file exists"
            rows = self._rows(connection, keys)
        used = [(today, number) for number, _, day in rows.values() if day < today]
        if used:
            with self._file.write_transaction() as connection:
                connection.executemany(_USE, used)
        return {key: vector for key, (_, vector, _) in rows.items()}

    def _find_shared(self, path: Path, keys: Sequence[str]) -> dict[str, IntVector]:
        """Without a lock, as on a file system that cannot be written."""
        with _FILE.errors(path):
            address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                return {key: vector for key, (_, vector, _) in self._rows(connection, keys).items()}

    def _rows(
        self, connection: sqlite3.Connection, keys: Sequence[str]
    ) -> dict[str, tuple[int, IntVector, int]]:
        """Rows that are damaged, or of another width, are as good as absent."""
        found: dict[str, tuple[int, IntVector, int]] = {}
        for key in keys:
            hash_ = self._hash(key)
            row = connection.execute(_FIND, (hash_,)).fetchone()
            if row is not None and self._is_intact(hash_, *row):
                number, data, used, _ = row
                found[key] = number, np.frombuffer(data, dtype="<i2"), used
        return found

    def _is_intact(
        self, hash_: bytes, number: object, data: object, used: object, checksum: object
    ) -> bool:
        """A damaged file may have any type anywhere."""
        return (
            isinstance(number, int)
            and isinstance(used, int)
            and isinstance(data, bytes)
            and len(data) == 2 * self._width
            and zlib.crc32(hash_ + data) == checksum
        )

    def _hash(self, key: str) -> bytes:
        return hashlib.sha256((self._space + key).encode()).digest()[:_HASH_BYTES]

    @contextmanager
    def _errors_logged(self) -> Iterator[None]:
        """An ingest goes on without the cache."""
        try:
            yield
        except StoreError as error:
            self._failed = True
            _LOG.warning("the vector cache is not used: %s", error)


def _used_bytes(connection: sqlite3.Connection) -> int:
    ((pages,),) = connection.execute("PRAGMA page_count")
    ((free,),) = connection.execute("PRAGMA freelist_count")
    ((size,),) = connection.execute("PRAGMA page_size")
    return int((pages - free) * size)
