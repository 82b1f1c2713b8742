"""Empty stores for the state machine: made quickly, in memory, and removed after a run."""

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.ports.store import Store

_numbers = itertools.count()
_folders: list[tempfile.TemporaryDirectory[str]] = []


class OpenedStore(NamedTuple):
    """An empty store, and the function that removes it."""

    store: Store
    close: Callable[[], None]


StoreFactory = Callable[[], OpenedStore]


@cache
def _folder() -> Path:
    """In memory where the system has a folder for that."""
    memory = Path("/dev/shm")
    folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    _folders.append(folder)  # removed when the process ends
    return Path(folder.name)


@cache
def _empty() -> Path:
    """An empty store to copy, which is faster than creating tables."""
    path = _folder() / "empty.db"
    SqliteStore(path, now=lambda: "now", wait=5)
    return path


def on_sqlite(external: ExternalIndex | None = None) -> OpenedStore:
    path = _folder() / f"{next(_numbers)}.db"
    shutil.copyfile(_empty(), path)
    store = SqliteStore(path, now=lambda: "now", wait=5, external=external)
    # Someone else has the store open too: its log need not be folded in after every question.
    other = sqlite3.connect(path)
    other.execute("SELECT count(*) FROM branches").fetchone()

    def close() -> None:
        other.close()
        for end in ("", "-wal", "-shm", ".ingest.lock"):
            Path(f"{path}{end}").unlink(missing_ok=True)

    return OpenedStore(store, close)
