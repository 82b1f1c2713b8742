"""Vectors in files that all processes of one server map, so that memory holds them once."""

import json
import logging
import mmap
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.indexes.version_vectors import VersionVectors
from docgraph.adapters.sql.tenant_cache import DEFAULT_BYTES
from docgraph.adapters.sql.version_table import Counted

LOG = logging.getLogger("docgraph.vectors")
_HEADER = 4  # numbers before each record: versions, rows, checksum of the vectors, of the record


class VectorFile(VersionVectors):
    """VersionVectors whose vectors are in a file, and all else in a second one, the index.

    A record of the index is written after the vectors that it counts. Methods that change
    something are called under the lock of the file.
    """

    def __init__(self, path: Path, width: int, kind: npt.DTypeLike) -> None:
        super().__init__(width, kind)
        self._row = self.vectors.itemsize * width
        self._rows = self._open(path.with_suffix(".vectors"))
        self._index = self._open(path.with_suffix(".index"))
        self._read = 0  # bytes of the index
        self.is_private = False

    def _open(self, path: Path) -> int:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        weakref.finalize(self, os.close, file)
        return file

    @property
    def is_current(self) -> bool:
        """No other process has replaced it."""
        return os.fstat(self._index).st_nlink > 0 and os.fstat(self._rows).st_nlink > 0

    def read_added(self) -> bool:
        """What other processes have added. False where that is not as they wrote it."""
        size = os.fstat(self._index).st_size - self._read
        added = os.pread(self._index, max(size, 0), self._read)
        if size < 0 or len(added) % 8:
            return False
        left = np.frombuffer(added, dtype=np.int64)
        while len(left):
            length = self._read_record(left)
            if not length:
                return False
            left = left[length:]
            self._read += 8 * length
        return True

    def _read_record(self, words: Ints) -> int:
        """How long it is; 0 where it is damaged."""
        if len(words) < _HEADER or min(words[:_HEADER].tolist()) < 0:
            return 0
        versions, count, rows_sum, record_sum = words[:_HEADER].tolist()
        length: int = _HEADER + 3 * versions + count
        body = words[_HEADER:length]
        if len(words) < length or crc32(body.data) != record_sum:
            return 0
        mapped = self._mapped(self.taken + count)
        if mapped is None or crc32(mapped[self.taken :].data) != rows_sum:
            return 0
        self.vectors = mapped
        self._count(body[: 3 * versions].reshape(3, versions), body[3 * versions :])
        return length

    def _append(self, index: Ints, numbers: Ints, vectors: npt.NDArray[Any]) -> None:
        if not self.is_private:
            rows = np.ascontiguousarray(vectors, dtype=self.vectors.dtype)
            body = np.concatenate([index.ravel(), numbers])
            header = [index.shape[1], len(numbers), crc32(rows.data), crc32(body.data)]
            record = np.concatenate([np.array(header, dtype=np.int64), body])
            try:
                _write(self._rows, rows, self.taken * self._row)
                _write(self._index, record, self._read)
            except OSError as error:
                LOG.warning("vectors are in the memory of this process alone: %s", error)
                os.ftruncate(self._index, self._read)
                self.is_private = True
                self.vectors = self.vectors.copy()
            else:
                mapped = self._mapped(self.taken + len(numbers))
                assert mapped is not None
                self.vectors = mapped
                self._read += record.nbytes
                self._count(index, numbers)
                return
        super()._append(index, numbers, vectors)

    def _mapped(self, count: int) -> npt.NDArray[Any] | None:
        """None where the file is too short."""
        size = count * self._row
        if os.fstat(self._rows).st_size < size:
            return None
        kind = self.vectors.dtype
        memory = mmap.mmap(self._rows, size, prot=mmap.PROT_READ) if size else b""
        return np.frombuffer(memory, dtype=kind).reshape(count, self.width)


def _write(file: int, data: npt.NDArray[Any], at: int) -> None:
    left = data.reshape(-1).view(np.uint8).data
    while left:
        written = os.pwrite(file, left, at)
        left, at = left[written:], at + written


class SharedVectorFolder:
    """A folder of one server. Its files take no more than about `limit` bytes: the one that was
    written to the longest ago goes first."""

    def __init__(self, path: Path, limit: int = DEFAULT_BYTES) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._limit = limit

    def history(self, tenant: str, counted: Counted) -> str:
        """As TenantCache decides, with the newest state that any process has read. The name is that
        of a folder, which no other history ever has."""
        name = sha256(tenant.encode("utf-8", "surrogatepass")).hexdigest()
        record = self._path / f"{name}.json"
        with FileLock(self._path / f"{name}.lock"):
            known = _read_record(record)
            if known is not None and known[1].follows(counted.token):
                return known[0]
            if known is not None and counted.follows(known[1].token):
                history = known[0]
            else:
                for before in self._path.glob(f"{name}-*"):
                    rmtree(before, ignore_errors=True)  # who uses its files goes on with them
                history = mkdtemp(prefix=f"{name}-", dir=self._path)
            fresh = record.with_suffix(".new")
            fresh.write_text(json.dumps([history, counted]), encoding="utf-8")
            fresh.replace(record)
            return history

    def files(self, history: str) -> "VectorFiles":
        return VectorFiles(Path(history), self.trim)

    def trim(self) -> None:
        found = {path: path.stat() for path in self._path.glob("*/*.vectors")}
        total = sum(one.st_size for one in found.values())
        for path in sorted(found, key=lambda path: (found[path].st_mtime_ns, path))[:-1]:
            if total <= self._limit:
                return
            total -= found[path].st_size
            _remove(path)


def _read_record(path: Path) -> tuple[str, Counted] | None:
    """None where there is none, or it is damaged: a new history is then begun."""
    try:
        history, counted = json.loads(path.read_text(encoding="utf-8"))
        known = Counted(*counted)
        known.tokens.encode()
        Path(history).stat()
    except FileNotFoundError:
        return None
    except (AttributeError, OSError, TypeError, ValueError) as error:
        LOG.warning("a record of shared vectors is damaged; they are read anew: %s", error)
        return None
    return history, known


class VectorFiles:
    """Of one history: one for each kind and width."""

    def __init__(self, folder: Path, trim: Callable[[], None]) -> None:
        self._folder = folder
        self._trim = trim

    @contextmanager
    def opened(
        self, kind: str, width: int, dtype: npt.DTypeLike, most: int, kept: VersionVectors | None
    ) -> Iterator[VersionVectors]:
        """Under its lock, with all that other processes have added: `kept`, which this process has
        already, or the file as it is now. Damaged or larger than `most`, it is begun anew."""
        path = self._folder / f"{kind}-{width}"
        try:
            lock = FileLock(path.with_suffix(".lock"))
            lock.acquire()
        except OSError as error:
            LOG.warning("vectors are in the memory of this process alone: %s", error)
            yield VersionVectors(width, dtype)
            return
        try:
            yield _current(path, width, dtype, most, kept)
            self._trim()
        finally:
            lock.release()


def _current(
    path: Path, width: int, dtype: npt.DTypeLike, most: int, kept: VersionVectors | None
) -> VersionVectors:
    if isinstance(kept, VectorFile) and not kept.is_private and kept.is_current:
        found = kept
    else:
        found = VectorFile(path, width, dtype)
    is_intact = found.read_added()
    if is_intact and found.nbytes <= most:
        return found
    if not is_intact:
        LOG.warning("a file of shared vectors is damaged; they are read anew")
    _remove(path)
    return VectorFile(path, width, dtype)


def _remove(path: Path) -> None:
    for suffix in (".index", ".vectors"):
        path.with_suffix(suffix).unlink(missing_ok=True)
