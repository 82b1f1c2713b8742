"""How many times as long one function takes as another, in processor time."""

import time
from collections.abc import Callable

_OFTEN = 3  # the best of so many tries counts
_LEAST = 0.002  # seconds; below, a clock tells little


def time_ratio(short: Callable[[], None], long: Callable[[], None]) -> float:
    return _best(long) / max(_best(short), _LEAST)


def _best(look: Callable[[], None]) -> float:
    took = []
    for _ in range(_OFTEN):
        began = time.process_time()
        look()
        took.append(time.process_time() - began)
    return min(took)
