"""A vector index for docgraph in FAISS files: flat, so exact, with the bytes of the packed index.

A tenant has a folder. Its rows are in files of one generation, a pair for each level and width;
changes since are appended to a log. From time to time both become the next generation.
"""

import hashlib
import io
import os
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt
from filelock import FileLock

from docgraph.model.errors import BadInput, StoreError
from docgraph.model.scoring import top_rows
from docgraph.ports.indexes import (
    IndexSettings,
    ReadFilter,
    Rows,
    VectorHits,
    VectorIndexKind,
    VectorRows,
)
from docgraph.ports.search_reads import Level

LOG_BYTES = 2**24  # a log up to this size is kept beside files of any size
_HEADER = struct.Struct("<QI")  # a record's length and checksum
_COLUMNS = ("row", "node", "document", "version")
_LIFE = ("branch", "born", "died")
_DAMAGE = (OSError, RuntimeError, ValueError, KeyError, EOFError, zipfile.BadZipFile)

Mask = npt.NDArray[np.bool_]
Record = Mapping[str, npt.NDArray[Any]]
Key = tuple[str, int]  # level and width


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Rows of one level and width; positions in the columns are those in `flat`."""

    row: Rows
    node: Rows
    document: Rows
    version: Rows
    live: Mask
    flat: Any

    @classmethod
    def of(cls, columns: Record, vectors: npt.NDArray[Any]) -> "Part":
        flat = faiss.IndexFlatIP(vectors.shape[1])
        flat.add(np.ascontiguousarray(vectors, dtype=np.float32))
        return cls.read(columns, flat)

    @classmethod
    def read(cls, columns: Record, flat: Any) -> "Part":
        row, node, document, version = (columns[name] for name in _COLUMNS)
        return cls(row, node, document, version, np.ones(len(row), dtype=np.bool_), flat)

    @classmethod
    def joined(cls, parts: Sequence["Part"]) -> "Part":
        """Without the rows that are dead."""
        columns = {
            name: np.concatenate([getattr(part, name)[part.live] for part in parts])
            for name in _COLUMNS
        }
        vectors = [part.flat.reconstruct_n(0, part.flat.ntotal)[part.live] for part in parts]
        return cls.of(columns, np.concatenate(vectors))

    def without(self, versions: Rows) -> "Part":
        gone = np.isin(self.version, versions)
        return replace(self, live=self.live & ~gone) if gone.any() else self

    def top(self, query: npt.NDArray[np.float32], visible: Mask, limit: int) -> VectorHits:
        """The best visible rows, and all that tie with the last. Float32 counts these in ones."""
        many = int(np.count_nonzero(visible))
        bits = np.packbits(visible, bitorder="little")
        chosen = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))
        most = min(limit + 1, many)
        scores, positions = self.flat.search(query, max(most, 1), params=chosen)
        scores, positions = scores[0][:most], positions[0][:most]
        if many > limit and scores[limit - 1] == scores[limit]:
            below = float(scores[limit - 1]) - 0.5
            _, scores, positions = self.flat.range_search(query, below, params=chosen)
        dots = scores.astype(np.int64)
        return VectorHits(self.row[positions], self.node[positions], self.document[positions], dots)


@dataclass(slots=True)
class Version:
    """A document version: where it lives, who finds it, and the levels that it has rows in."""

    branch: int
    born: int
    died: int
    classes: set[int]
    levels: set[str] = field(default_factory=set)


class State:
    """A tenant's rows in memory: those of the files, and what the log says since."""

    def __init__(self) -> None:
        self.versions: dict[int, Version] = {}
        self.parts: dict[Key, tuple[Part, ...]] = {}
        self._lives: tuple[Rows, ...] | None = None

    def apply(self, record: Record) -> None:
        self._lives = None
        operation, versions = str(record["operation"]), record["versions"]
        number = int(record["number"])
        if operation == "add":
            self._add(record)
        elif operation == "remove":
            self.drop(versions)
        for version in versions.tolist():
            if (known := self.versions.get(version)) is None:
                continue
            if operation == "retire":
                known.died = number
            elif operation == "widen":
                known.classes.add(number)
            elif operation == "narrow":
                known.classes = {number}

    def _add(self, record: Record) -> None:
        level = str(record["level"])
        versions, first = np.unique(record["version"], return_index=True)
        again = [one for one in versions.tolist() if level in self._levels(one)]
        for key, parts in self.parts.items():
            if again and key[0] == level:
                self.parts[key] = tuple(part.without(np.array(again)) for part in parts)
        for version, at in zip(versions.tolist(), first.tolist(), strict=True):
            branch, born, died = (int(record[name][at]) for name in _LIFE)
            classes, levels = {int(record["access_class"][at])}, {*self._levels(version), level}
            self.versions[version] = Version(branch, born, died, classes, levels)
        key = (level, int(record["vectors"].shape[1]))
        parts = (*self.parts.get(key, ()), Part.of(record, record["vectors"]))
        while len(parts) > 1 and len(parts[-2].row) <= 2 * len(parts[-1].row):
            parts = (*parts[:-2], Part.joined(parts[-2:]))  # so few parts, each row moved seldom
        self.parts[key] = parts

    def _levels(self, version: int) -> set[str]:
        known = self.versions.get(version)
        return set() if known is None else known.levels

    def drop(self, versions: npt.NDArray[Any]) -> None:
        self._lives = None
        for version in versions.tolist():
            self.versions.pop(version, None)
        for key, parts in self.parts.items():
            self.parts[key] = tuple(part.without(versions) for part in parts)

    @property
    def has_dead_rows(self) -> bool:
        return any(not part.live.all() for parts in self.parts.values() for part in parts)

    def visible(self, reads: ReadFilter, level: str, width: int) -> list[tuple[Part, Mask]]:
        """Parts with rows that the filter shows."""
        numbers, branch, born, died, places, classes = self._columns()
        readable = np.zeros(len(numbers), dtype=np.bool_)
        readable[places[np.isin(classes, list(reads.classes))]] = True
        shown = np.zeros(len(numbers), dtype=np.bool_)
        for one, snapshot in reads.snapshots:
            shown |= readable & (branch == one) & (born <= snapshot) & (snapshot < died)
        found: list[tuple[Part, Mask]] = []
        for part in self.parts.get((level, width), ()):
            mask = part.live.copy()
            mask[mask] = shown[np.searchsorted(numbers, part.version[mask])]
            if mask.any():
                found.append((part, mask))
        return found

    def _columns(self) -> tuple[Rows, ...]:
        """Versions, sorted, with their lives; then places among them, each with a class."""
        if self._lives is None:
            numbers = sorted(self.versions)
            known = [self.versions[number] for number in numbers]
            lives = [[getattr(one, name) for one in known] for name in _LIFE]
            pairs = [(at, c) for at, one in enumerate(known) for c in sorted(one.classes)]
            places, classes = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
            columns = (np.array(column, dtype=np.int64) for column in (numbers, *lives))
            self._lives = (*columns, places, classes)
        return self._lives

    def rows_by_branch(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for part in (part for parts in self.parts.values() for part in parts):
            versions, counts = np.unique(part.version[part.live], return_counts=True)
            for version, count in zip(versions.tolist(), counts.tolist(), strict=True):
                branch = self.versions[version].branch
                found[branch] = found.get(branch, 0) + count
        return found


class TenantFiles:
    """One tenant's folder. `current` names its generation, and is replaced in one step."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._state: State | None = None
        self._generation = 0
        self._offset = 0  # in the log, up to which the state has it

    def read(self) -> State:
        """As of now, whichever process changed it."""
        with self._lock:
            while True:
                generation = self._current()
                try:
                    if self._state is None or generation != self._generation:
                        self._state, self._offset = self._load(generation), 0
                        self._generation = generation
                    self._replay(self._state)
                except FileNotFoundError:
                    self._state = None
                    if generation == self._current():
                        raise
                    continue  # the next generation took its place meanwhile
                return self._state

    @contextmanager
    def reading(self) -> Iterator[State]:
        with self._lock:
            yield self.read()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One process and one thread at a time."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock, FileLock(self._folder / "lock"):
            yield

    def append(self, record: Record) -> None:
        """Durable before it counts; a record that a killed process left half written goes."""
        state = self.read()
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **record)
        payload = buffer.getvalue()
        with self._log(self._generation).open("r+b" if self._generation else "a+b") as log:
            log.truncate(self._offset)
            log.seek(self._offset)
            log.write(_HEADER.pack(len(payload), zlib.crc32(payload)) + payload)
            log.flush()
            os.fsync(log.fileno())
        self._replay(state)
        if self._offset > max(LOG_BYTES, self._base_bytes()):
            self.replace(state)

    def replace(self, state: State) -> None:
        """The state becomes the next generation; the files before it go."""
        generation = self._current() + 1
        for key, parts in sorted(state.parts.items()):
            part = Part.joined(parts)
            name = f"{generation}-{key[0]}-{key[1]}"
            columns = {column: getattr(part, column) for column in _COLUMNS}
            self._write(f"{name}.npz", partial(_save, columns))
            self._write(f"{name}.faiss", partial(faiss.write_index, part.flat))
            state.parts[key] = (part,)
        self._write(f"{generation}-versions.npz", partial(_save, _lives(state)))
        self._write(f"{generation}.log", lambda path: Path(path).touch())
        self._write("current", lambda path: Path(path).write_text(str(generation)))
        for old in self._folder.glob("*"):
            if old.name.split("-")[0].split(".")[0].isdigit() and not old.name.startswith(
                (f"{generation}-", f"{generation}.")
            ):
                old.unlink()
        self._state, self._generation, self._offset = state, generation, 0

    def _write(self, name: str, write: Callable[[str], object]) -> None:
        unfinished = self._folder / f"{name}.new"
        write(str(unfinished))
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(self._folder / name)

    def _current(self) -> int:
        try:
            return int((self._folder / "current").read_text())
        except FileNotFoundError:
            return 0

    def _log(self, generation: int) -> Path:
        return self._folder / f"{generation}.log"

    def _base_bytes(self) -> int:
        return sum(one.stat().st_size for one in self._folder.glob(f"{self._generation}-*"))

    def _load(self, generation: int) -> State:
        state = State()
        if not generation:
            return state
        for file in sorted(self._folder.glob(f"{generation}-*-*.npz")):
            columns = _read(file)
            _, level, width = file.stem.split("-")
            flat = faiss.read_index(str(file.with_suffix(".faiss")), faiss.IO_FLAG_MMAP_IFC)
            state.parts[level, int(width)] = (Part.read(columns, flat),)
        _set_lives(state, _read(self._folder / f"{generation}-versions.npz"))
        return state

    def _replay(self, state: State) -> None:
        """What the log says beyond the offset, up to a record that is not whole."""
        path = self._log(self._generation)
        if not path.exists() and not self._generation:
            return
        if path.stat().st_size <= self._offset:
            return
        with path.open("rb") as log:
            log.seek(self._offset)
            while len(header := log.read(_HEADER.size)) == _HEADER.size:
                length, checksum = _HEADER.unpack(header)
                payload = log.read(length)
                if len(payload) < length or zlib.crc32(payload) != checksum:
                    return
                state.apply(_read(io.BytesIO(payload)))
                self._offset += _HEADER.size + length


def _save(columns: Record, path: str) -> None:
    with Path(path).open("wb") as file:
        np.savez(file, allow_pickle=False, **columns)


def _read(file: Path | io.BytesIO) -> Record:
    with np.load(file, allow_pickle=False) as columns:
        return dict(columns)


def _lives(state: State) -> Record:
    known = sorted(state.versions.items())
    classes = [(number, one) for number, life in known for one in sorted(life.classes)]
    levels = [",".join(sorted(life.levels)) for _, life in known]
    return {
        "version": np.array([number for number, _ in known], dtype=np.int64),
        **{name: np.array([getattr(life, name) for _, life in known]) for name in _LIFE},
        "classes": np.array(classes, dtype=np.int64).reshape(-1, 2),
        "levels": np.array(levels, dtype=np.str_),
    }


def _set_lives(state: State, columns: Record) -> None:
    lives = zip(*(columns[name].tolist() for name in ("version", *_LIFE, "levels")), strict=True)
    for version, branch, born, died, levels in lives:
        state.versions[version] = Version(branch, born, died, set(), set(levels.split(",")))
    for version, one in columns["classes"].tolist():
        state.versions[version].classes.add(one)


class FaissIndex:
    """Of one store. Any number of threads and processes may use the folder at once."""

    exact = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._tenants: dict[str, TenantFiles] = {}

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        with self._errors(reads.tenant) as files:
            with files.reading() as state:
                parts = state.visible(reads, level, len(vector))
            query = np.array([vector], dtype=np.float32)
            found = [part.top(query, mask, limit) for part, mask in parts]
        if not found:
            return VectorHits(*(np.empty(0, dtype=np.int64),) * 4)
        columns = [np.concatenate([getattr(one, n) for one in found]) for n in VectorHits.__slots__]
        best = top_rows(columns[-1], limit)
        return VectorHits(*(column[best] for column in columns))

    def add(self, rows: VectorRows) -> None:
        if len(rows):
            self._append(rows.tenant, _record("add", rows.version.tolist(), rows=rows))

    def retire(self, tenant: str, versions: Sequence[int], snapshot: int) -> None:
        self._append(tenant, _record("retire", versions, snapshot))

    def widen(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        self._append(tenant, _record("widen", versions, access_class))

    def narrow(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        self._append(tenant, _record("narrow", versions, access_class))

    def _append(self, tenant: str, record: Record) -> None:
        with self._errors(tenant) as files, files.writing():
            files.append(record)

    def remove(self, tenant: str, versions: Sequence[int]) -> None:
        self._remove(tenant, lambda _: versions)

    def discard(self, tenant: str, branch: int, newest: int) -> None:
        self._remove(
            tenant,
            lambda state: [
                number
                for number, life in state.versions.items()
                if life.branch == branch and life.born > newest
            ],
        )

    def _remove(self, tenant: str, choose: Callable[[State], Sequence[int]]) -> None:
        """New files without them: what is removed is nowhere in the old ones' place."""
        with self._errors(tenant) as files, files.writing():
            state = files.read()
            state.drop(np.array(choose(state), dtype=np.int64))
            if state.has_dead_rows:
                files.replace(state)

    def rebuild(self, tenant: str, rows: Iterable[VectorRows]) -> None:
        """Reads nothing of what is there, which may be damaged."""
        with self._errors(tenant) as files, files.writing():
            state = State()
            for some in rows:
                state.apply(_record("add", some.version.tolist(), rows=some))
            files.replace(state)

    def check(self, tenant: str, expected: Mapping[int, int]) -> tuple[str, ...]:
        try:
            with self._errors(tenant) as files, files.reading() as state:
                found = state.rows_by_branch()
        except StoreError as error:
            return (str(error),)
        return tuple(
            f"index faiss: branch {branch} has {found.get(branch, 0)} of {count} rows"
            for branch, count in sorted(expected.items())
            if found.get(branch, 0) < count
        )

    @contextmanager
    def _errors(self, tenant: str) -> Iterator[TenantFiles]:
        folder = self._folder / hashlib.sha256(tenant.encode()).hexdigest()[:32]
        with self._lock:
            files = self._tenants.setdefault(tenant, TenantFiles(folder))
        try:
            yield files
        except _DAMAGE as error:
            raise StoreError(
                f"{folder}: the FAISS index cannot be used: {error}; "
                "rebuild it with: docgraph reindex"
            ) from error


def _record(
    operation: str, versions: Sequence[int], number: int = 0, rows: VectorRows | None = None
) -> Record:
    columns: dict[str, npt.NDArray[Any]] = {
        "operation": np.array(operation),
        "versions": np.array(versions, dtype=np.int64),
        "number": np.array(number, dtype=np.int64),
    }
    if rows is not None:
        names = (*_COLUMNS, *_LIFE, "access_class", "vectors")
        columns.update({name: getattr(rows, name) for name in names}, level=np.array(rows.level))
    return columns


def open_index(settings: IndexSettings) -> FaissIndex:
    if unknown := sorted(settings.values.keys() - {"folder"}):
        raise BadInput(f"index_settings: faiss has no setting {unknown[0]!r}; it takes: folder")
    folder = settings.values.get("folder", settings.folder)
    if not folder:
        raise BadInput("index_settings: faiss needs a folder, since this store is no file")
    return FaissIndex(Path(str(folder)))


FAISS = VectorIndexKind("faiss", open_index)
