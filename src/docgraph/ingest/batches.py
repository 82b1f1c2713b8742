"""Many things, a few at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")


def batched(things: Iterable[_T], size: int) -> Iterator[tuple[_T, ...]]:
    waiting = iter(things)
    while some := tuple(islice(waiting, size)):
        yield some
