"""A worker that waits for ever, or evades its CPU limit, is ended; a slow machine ends none."""

import pytest

from docgraph.ingest.workers.limits import ParserLimits, missing_limits
from docgraph.ingest.workers.watchdog import find_excess

LIMITS = ParserLimits(memory_mib=1024, cpu_seconds=60)


@pytest.mark.parametrize(
    ("elapsed", "used", "reason"),
    [
        (59.0, 0.0, ""),
        (61.0, 0.1, "parser waited for 60 s without using the CPU"),
        (61.0, 0.7, ""),
        (3_000.0, 59.0, ""),  # on a machine with much else to do
        (63.0, 62.5, "parser exceeded 60 s of CPU time"),
        (599.0, None, ""),
        (601.0, None, "parser took longer than 600 s"),
    ],
)
def test_cpu_time_counts_and_elapsed_time_where_it_cannot_be_read(
    elapsed: float, used: float | None, reason: str
) -> None:
    before = (100.0, None if used is None else 5.0)
    now = (100.0 + elapsed, None if used is None else 5.0 + used)
    assert find_excess(LIMITS, before, now) == reason


def test_limits_that_a_system_lacks_are_named() -> None:
    assert missing_limits("linux") == ()
    assert missing_limits("darwin") == ("memory",)
    assert missing_limits("win32") == ("memory", "CPU time")
