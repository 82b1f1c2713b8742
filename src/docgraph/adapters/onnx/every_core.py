"""Does the same work on many things, on every core at once."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")


def on_every_core(
    work: Callable[[Thing], Made], things: Sequence[Thing], cores: int | None = None
) -> list[Made]:
    """In the order of the things; a single one stays on the caller's thread."""
    if len(things) < 2:
        return [work(thing) for thing in things]
    with ThreadPoolExecutor(min(cores or _usable_cores(), len(things))) as pool:
        return list(pool.map(work, things))


def _usable_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
