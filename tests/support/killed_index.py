"""A change of a store with a FAISS index, in a process that kills itself on the way.

Arguments: the store, the index's folder, the change, and the call at which to die, such as
`add:after:2`: after the second call of `add`.
"""

import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docgraph_faiss import FaissIndex, TenantFiles

from docgraph.testing.small_store import BLUE, OPEN, RED, SmallStore
from docgraph.testing.vector_indexes import DAY, texts

RULES = {"d1.md": RED, "d2.md": BLUE}


class DyingIndex:
    """An index whose process is killed before or after one call of one method."""

    exact = True

    def __init__(self, index: FaissIndex, method: str, when: str, count: int) -> None:
        self._index = index
        if hasattr(index, method):
            setattr(self, method, die_at(getattr(index, method), when, count))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def die_at(call: Callable[..., Any], when: str, count: int) -> Callable[..., Any]:
    calls = itertools.count(1)

    def die_on_the_way(*values: Any) -> Any:
        at = next(calls)
        if at == count and when == "before":
            die()
        result = call(*values)
        if at == count:
            die()
        return result

    return die_on_the_way


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def ingest(store: SmallStore) -> None:
    store.ingest(texts(7, version=2), RULES)


def change_rules(store: SmallStore) -> None:
    """One document gets more readers, one others; a day later the index follows."""
    store.set_rule("d0.md", RED)
    store.set_rule("d1.md", OPEN)
    store.seconds += DAY
    store.set_rule("d2.md", RED)


def prune(store: SmallStore) -> None:
    store.prune()


def reindex(store: SmallStore) -> None:
    store.store.reindex()


CHANGES = {one.__name__: one for one in (ingest, change_rules, prune, reindex)}


def main() -> None:
    address, folder, change, point = sys.argv[1:]
    method, when, count = point.split(":")
    index = FaissIndex(Path(folder))
    if method == "file":
        name = "_write"
        write = die_at(getattr(TenantFiles, name), when, int(count))
        setattr(TenantFiles, name, write)
    CHANGES[change](SmallStore(address, DyingIndex(index, method, when, int(count))))


if __name__ == "__main__":
    main()
