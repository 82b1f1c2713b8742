"""Files of every format are read, built and mined in time and memory that grow with them."""

import random
from collections.abc import Callable, Iterator

import pytest

from docgraph.ingest.formats.registry import SHIPPED_FORMATS
from tests.growth.hostile_containers import CONTAINERS
from tests.growth.hostile_files import ANY_TEXT, OF_FORMAT, Repeated, parse_work
from tests.support.growth import (
    can_measure_memory,
    growth_or_memory_problem,
    growth_problem,
    memory_problem,
)

# The shortest file. The parser of code has limits that count from a few thousand bytes.
SHORTEST, THOROUGH_SHORTEST = 500, 2_000
PAIRS = 50
FORMATS = sorted(SHIPPED_FORMATS.by_name)
Make = Callable[[int], bytes]


def hostile_files(name: str, *, longer_growth: bool) -> Iterator[tuple[object, Make]]:
    """What each is made of, and what makes one of a size."""
    if name in CONTAINERS:
        yield from enumerate(CONTAINERS[name])
        return
    pieces = tuple(dict.fromkeys((*ANY_TEXT, *OF_FORMAT[name])))
    if longer_growth:
        pieces = (*pieces, *_pairs(name, pieces))
    for piece in pieces:
        yield piece, piece.of_length


def _pairs(name: str, pieces: tuple[Repeated, ...]) -> Iterator[Repeated]:
    """The same ones in every run."""
    chosen = random.Random(name)
    for _ in range(PAIRS):
        first, second = chosen.sample(pieces, 2)
        yield Repeated(first.begin, first.unit + second.unit, second.end)


@pytest.mark.requirement(74)
@pytest.mark.parametrize("name", FORMATS)
def test_time_and_memory_grow_with_the_file_and_no_faster(name: str, longer_growth: bool) -> None:
    size = THOROUGH_SHORTEST if longer_growth else SHORTEST
    read = SHIPPED_FORMATS.by_name[name]
    for what, make in hostile_files(name, longer_growth=longer_growth):
        assert not growth_or_memory_problem(parse_work(read, make), size), what


def test_every_suffix_is_of_a_format_that_is_measured() -> None:
    assert {one.name for one in SHIPPED_FORMATS.by_suffix.values()} <= {*OF_FORMAT, *CONTAINERS}


def test_a_format_that_takes_the_square_of_its_file_is_found() -> None:
    def work(size: int) -> Callable[[], object]:
        return lambda: [at for at in range(size) for _ in range(size // 8)]

    assert growth_problem(work, 100)
    assert not growth_problem(lambda size: lambda: list(range(size * 20)), 100)


@pytest.mark.skipif(not can_measure_memory(), reason="this system does not count it")
def test_memory_by_the_square_of_a_file_is_found() -> None:
    assert growth_or_memory_problem(lambda size: lambda: len(b"x" * size**2), 450)
    assert not growth_or_memory_problem(lambda size: lambda: len(b"x" * (2_000 * size)), 600)


@pytest.mark.skipif(not can_measure_memory(), reason="this system does not count it")
def test_memory_that_the_process_has_freed_hides_no_growth() -> None:
    def hold(blocks: int) -> bytearray:
        """Free blocks below one that is used stay in the process."""
        free = [bytearray(6_000) for _ in range(blocks)]
        last = bytearray(6_000)
        del free
        return last

    last = hold(12_000)
    assert not memory_problem(lambda size: lambda: [bytearray(6_000) for _ in range(size)], 1_600)
    assert len(last) == 6_000
