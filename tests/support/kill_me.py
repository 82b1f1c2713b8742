"""An ingest to be killed: run as a process. Arguments: folder, store.

Prints a line when it begins and one when it is done. The embedder is cheap, the store is real.
"""

import sys
import time
from pathlib import Path

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.doors.login import local
from docgraph.engine import Engine
from docgraph.model.access import LOCAL_ONLY
from docgraph.wiring.build import open_folder
from tests.support.small_world import HashedWords
from tests.support.stand_ins import CountsWords


def engine_on(store: Path) -> Engine:
    return Engine(
        SqliteStore(store, now=lambda: "now"),
        HashedWords,
        CountsWords,
        lambda: None,
        time.perf_counter,
    )


def ingest(folder: Path, store: Path) -> None:
    engine_on(store).ingest(
        local(),
        open_folder(folder, 1_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )


if __name__ == "__main__":
    print("begun", flush=True)
    ingest(Path(sys.argv[1]), Path(sys.argv[2]))
    print("done", flush=True)
