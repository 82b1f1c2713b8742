"""Killed between any two writes, a change leaves the index with all that the catalogue shows."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from docgraph_faiss import FaissIndex

from docgraph.testing.small_store import SmallStore
from docgraph.testing.vector_indexes import DAY, READERS, texts
from tests.support.killed_index import CHANGES, RULES

ROOT = Path(__file__).parents[2]
# Grow, commit, shrink: each change, and where it is killed.
POINTS = [
    ("ingest", "discard:after:1"),
    ("ingest", "add:before:1"),
    ("ingest", "add:after:1"),  # before the catalogue has the batch
    ("ingest", "add:after:3"),
    ("ingest", "retire:before:1"),  # after the catalogue has committed
    ("ingest", "retire:after:1"),
    ("change_rules", "widen:before:1"),
    ("change_rules", "widen:after:1"),
    ("change_rules", "narrow:before:1"),
    ("change_rules", "narrow:after:1"),
    ("prune", "remove:before:1"),
    ("prune", "remove:after:1"),
    ("prune", "file:before:3"),
    ("prune", "file:before:9"),  # all files are there, and not yet in use
    ("reindex", "file:before:5"),
    ("reindex", "rebuild:after:1"),
]
ON_POSTGRES = [
    ("ingest", "add:after:1"),
    ("ingest", "retire:before:1"),
    ("change_rules", "widen:after:1"),
    ("change_rules", "narrow:before:1"),
    ("prune", "remove:before:1"),
]
KILLS = [*(("sqlite", *one) for one in POINTS), *(("postgres", *one) for one in ON_POSTGRES)]


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path, backend: str) -> str:
    if backend == "sqlite":
        return str(tmp_path / "store.db")
    return str(request.getfixturevalue("database"))


@pytest.mark.requirement(9)
@pytest.mark.parametrize(("backend", "change", "where"), KILLS, ids=map(":".join, KILLS))
def test_a_killed_change_of_the_index_loses_nothing(
    address: str, tmp_path: Path, change: str, where: str
) -> None:
    folder = tmp_path / "index"
    store = SmallStore(address, FaissIndex(folder))
    store.ingest(texts(9), RULES)
    store.ingest(texts(6), RULES)
    assert killed(address, folder, change, where)
    again = SmallStore(address, FaissIndex(folder), seconds=3 * DAY)
    agree(again)
    assert again.store.verify().problems == ()
    CHANGES[change](again)
    agree(again)
    assert again.store.verify().problems == ()
    assert whole(tmp_path, change) == [again.nearest(one) for one in READERS.values()]


def killed(address: str, folder: Path, change: str, where: str) -> bool:
    command = [sys.executable, "-m", "tests.support.killed_index"]
    done = subprocess.run(
        [*command, address, str(folder), change, where], cwd=ROOT, timeout=120, check=False
    )
    return done.returncode == -signal.SIGKILL


def agree(store: SmallStore) -> None:
    """What a reader finds is what the catalogue shows, by the packed index of the same store."""
    packed = SmallStore(store.address)
    for reader in READERS.values():
        assert store.nearest(reader) == packed.nearest(reader)


def whole(tmp_path: Path, change: str) -> list[object]:
    """What readers find where nothing was killed."""
    store = SmallStore(str(tmp_path / "whole.db"))
    store.ingest(texts(9), RULES)
    store.ingest(texts(6), RULES)
    if change != "reindex":
        CHANGES[change](store)
    return [store.nearest(one) for one in READERS.values()]
