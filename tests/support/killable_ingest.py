"""Ingests to be killed, each in a process of its own, forked so that nobody waits for imports.

For every line `folder store seconds` on standard input an ingest is started, and killed if it is
still at work after that time; the answer is how it ended, and after how many seconds. The embedder
is cheap, the store real: a file, or the address of a database.
"""

import os
import signal
import sys
import time
from functools import cache
from pathlib import Path

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.store import Store
from docgraph.wiring.build import open_folder
from tests.support.engines import make_engine

pool_of = cache(Pool)


def engine_on(store: Path | str) -> Engine:
    return make_engine(open_store(str(store)))


def open_store(store: str) -> Store:
    if "://" in store:
        return PostgresStore(pool_of(store), now=lambda: "now")
    return SqliteStore(Path(store), now=lambda: "now")


def ingest(folder: Path, store: str) -> None:
    engine_on(store).content.ingest(
        local(),
        open_folder(folder, 1_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )


def wait_for_exit(child: int, until: float) -> int:
    """How; by itself, or killed when the time is over."""
    while (left := until - time.monotonic()) > 0:
        done, how = os.waitpid(child, os.WNOHANG)
        if done:
            return how
        time.sleep(min(left, 0.005))
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def main() -> None:
    for line in sys.stdin:
        folder, store, seconds = line.split()
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            ingest(Path(folder), store)
            os._exit(0)
        how = wait_for_exit(child, until=began + float(seconds))
        sys.stdout.write(f"{how} {time.monotonic() - began}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
