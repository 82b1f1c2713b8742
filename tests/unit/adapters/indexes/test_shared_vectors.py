"""Processes of one server map the same vectors, and never trust a file that is damaged."""

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.indexes.shared_vectors import SharedVectorFolder, VectorFile
from docgraph.adapters.indexes.version_vectors import CachedVectors, VersionVectors
from docgraph.adapters.sql.database import Row
from docgraph.adapters.sql.tenant_cache import TenantCache
from docgraph.adapters.sql.version_table import TOKEN, Counted

WIDTH = 8
LIMIT = 2**20
HISTORY = ("a" * TOKEN, "b" * TOKEN, "c" * TOKEN, "d" * TOKEN)


def rows_of(version: int) -> list[Row]:
    """A version has none to three rows, each with a number."""
    return [
        (version, 100 * version + at, np.full(WIDTH, version * 10 + at, dtype="<i2").tobytes())
        for at in range(version % 4)
    ]


class Process:
    """What one process of a server holds; `reads` are versions that it had to read itself."""

    def __init__(self, folder: Path, limit: int = LIMIT, dtype: npt.DTypeLike = np.int16) -> None:
        self.cache = TenantCache(limit, SharedVectorFolder(folder, limit))
        self.dtype = dtype
        self.reads: list[int] = []
        self.go_to(HISTORY[0])

    def go_to(self, *tokens: str) -> str:
        self.history = self.cache.history("acme", Counted(len(tokens), 0, "".join(tokens))).name
        return self.history

    def vectors(self, *versions: int) -> VersionVectors:
        kept = CachedVectors(self.cache, self.history, "chunks", dtype=self.dtype)
        return kept.of(np.array(versions, dtype=np.int64), WIDTH, self._read, at_once=3)

    def _read(self, versions: Sequence[int]) -> list[Row]:
        self.reads += versions
        return [row for version in versions for row in rows_of(version)]

    def check(self, *versions: int) -> None:
        found = self.vectors(*versions)
        rows, counts = found.rows_of(np.array(versions, dtype=np.int64))
        expected = [row for version in versions for row in rows_of(version)]
        assert counts.tolist() == [version % 4 for version in versions]
        assert found.numbers[rows].tolist() == [row[1] for row in expected]
        expected_bytes = b"".join(row[2] for row in expected)
        assert found.vectors[rows].astype("<i2").tobytes() == expected_bytes


@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_a_process_reads_nothing_that_another_has_read(
    tmp_path: Path, dtype: npt.DTypeLike
) -> None:
    one, other = Process(tmp_path, dtype=dtype), Process(tmp_path, dtype=dtype)
    one.check(1, 2, 3, 4, 8)
    other.check(8, 3, 1)
    assert other.reads == []
    other.check(3, 5, 40)
    assert sorted(other.reads) == [5, 40]
    one.check(40, 5, 1)
    assert sorted(one.reads) == [1, 2, 3, 4, 8]
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.rglob("chunks*.[vi]*"))


def test_arrays_that_a_reader_holds_do_not_change(tmp_path: Path) -> None:
    one, other = Process(tmp_path), Process(tmp_path)
    held = one.vectors(1, 2, 3).vectors[:6]
    before = held.tobytes()
    other.check(*range(200))
    one.check(*range(200))
    assert held.tobytes() == before


def test_many_writers_at_once_give_each_what_was_stored(tmp_path: Path) -> None:
    def work(seed: int) -> None:
        random, process = Random(seed), Process(tmp_path)
        for _ in range(30):
            process.check(*random.sample(range(300), 20))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))


def damage_vectors(path: Path) -> None:
    flip(path.with_suffix(".vectors"), 20)


def damage_index(path: Path) -> None:
    flip(path.with_suffix(".index"), 40)


def cut_index(path: Path) -> None:
    """As a process leaves it that was killed while it wrote."""
    os.truncate(path.with_suffix(".index"), path.with_suffix(".index").stat().st_size - 8)


def cut_vectors(path: Path) -> None:
    os.truncate(path.with_suffix(".vectors"), 16)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [damage_vectors, damage_index, cut_index, cut_vectors])
def test_a_damaged_file_is_read_anew_and_reported(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    one = Process(tmp_path)
    one.check(1, 2, 3)
    (file,) = tmp_path.rglob("*.vectors")
    damage(file)
    other = Process(tmp_path)
    with caplog.at_level(logging.WARNING):
        other.check(1, 2, 3)
    assert sorted(other.reads) == [1, 2, 3]
    assert "damaged" in caplog.text
    one.check(5, 6)  # its own file was replaced
    other.check(5, 6)
    assert sorted(other.reads) == [1, 2, 3]


def test_a_missing_file_is_read_anew(tmp_path: Path) -> None:
    one, other = Process(tmp_path), Process(tmp_path)
    one.check(1, 2, 3)
    for path in tmp_path.rglob("chunks*"):
        path.unlink()
    other.check(1, 2, 3)
    assert sorted(other.reads) == [1, 2, 3]
    one.check(1, 2, 3, 7)


def test_without_the_folder_each_process_has_its_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = Process(tmp_path)
    (history,) = tmp_path.glob("*-*")
    history.rename(tmp_path / "moved")
    history.write_text("a file")
    with caplog.at_level(logging.WARNING):
        one.check(1, 2, 3)
    assert "of this process alone" in caplog.text


def test_vectors_that_cannot_be_written_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = Process(tmp_path), Process(tmp_path)
    one.check(1, 2)

    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", refuse)
        one.check(1, 2, 3, 9)
    one.check(1, 2, 3, 9)
    other.check(1, 2, 3, 9)
    assert sorted(other.reads) == [3, 9]


def test_a_history_is_the_same_in_all_processes_until_a_restored_backup(tmp_path: Path) -> None:
    one, other = Process(tmp_path), Process(tmp_path)
    first, second, third, restored = HISTORY
    name = one.history
    assert other.history == name
    assert one.go_to(third, second, first) == name
    assert other.go_to(second, first) == name  # it reads a state from before
    one.check(1, 2, 3)
    anew = other.go_to(restored, second, first)
    assert anew != name
    other.check(1, 2, 3)
    assert sorted(other.reads) == [1, 2, 3]
    assert one.go_to(restored, second, first) == anew
    one.check(1, 2, 3)
    assert sorted(one.reads) == [1, 2, 3]


def test_tenants_share_nothing(tmp_path: Path) -> None:
    shared = SharedVectorFolder(tmp_path, LIMIT)
    state = Counted(1, 0, HISTORY[0])
    assert shared.history("acme", state) != shared.history("works", state)


def test_a_damaged_record_begins_a_new_history(tmp_path: Path) -> None:
    name = Process(tmp_path).history
    (record,) = tmp_path.glob("*.json")
    record.write_text("[1, 2]")
    assert Process(tmp_path).history != name


def test_files_are_bounded(tmp_path: Path) -> None:
    one = Process(tmp_path, limit=40_000)
    for kind in ("chunks", "nodes", "summaries"):
        kept = CachedVectors(one.cache, one.history, kind)
        for begin in range(0, 2_000, 100):
            some = np.arange(begin, begin + 100)
            kept.of(some, WIDTH, lambda versions: [row for one in versions for row in rows_of(one)])
    files = list(tmp_path.rglob("*.vectors"))
    assert sum(path.stat().st_size for path in files) < 2 * 40_000
    assert isinstance(one.vectors(3), VectorFile)
    one.check(*range(50))
