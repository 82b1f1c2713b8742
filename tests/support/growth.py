"""How the work grows with the input: a ratio of two measurements, never a time."""

import time
from collections.abc import Callable

TIMES = 8
LINEAR = 3 * TIMES  # three times what is due; work that grows with the square takes 64


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer the work takes for an input eight times as long."""
    return _least(work, TIMES * size) / _least(work, size)


def _least(work: Callable[[int], object], size: int) -> float:
    return max(min(_seconds(work, size) for _ in range(5)), 1e-6)


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
