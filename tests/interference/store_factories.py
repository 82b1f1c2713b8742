"""Where the machine's stores live: made quickly, in memory, and gone when a run is over."""

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.ports.store import Store

_numbers = itertools.count()
_kept: list[tempfile.TemporaryDirectory[str]] = []


class Home(NamedTuple):
    """A store with nothing in it, and how to leave it."""

    store: Store
    leave: Callable[[], None]


Homes = Callable[[], Home]


@cache
def _folder() -> Path:
    """In memory where the system has a folder for that: nobody reads these stores again."""
    memory = Path("/dev/shm")
    held = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    _kept.append(held)
    return Path(held.name)


@cache
def _empty() -> Path:
    """A store with nothing in it, to copy: faster than making tables anew."""
    path = _folder() / "empty.db"
    SqliteStore(path, now=lambda: "now", wait=5)
    return path


def on_sqlite() -> Home:
    path = _folder() / f"{next(_numbers)}.db"
    shutil.copyfile(_empty(), path)
    store = SqliteStore(path, now=lambda: "now", wait=5)
    # Someone else has the store open too: its log need not be folded in after every question.
    other = sqlite3.connect(path)
    other.execute("SELECT count(*) FROM meta").fetchone()

    def leave() -> None:
        other.close()
        for end in ("", "-wal", "-shm", ".ingest.lock"):
            Path(f"{path}{end}").unlink(missing_ok=True)

    return Home(store, leave)
