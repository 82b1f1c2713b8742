"""What is written without a terminal."""

from itertools import pairwise

import pytest

from docgraph.ingest.progress import (
    EMBEDDINGS,
    LISTING,
    READING,
    RELATIONS,
    Progress,
    ProgressEvent,
)
from docgraph.interfaces.cli.progress.lines import PREFIX, SECONDS_BETWEEN, PlainLines
from tests.support.progress_events import Clock, askable

ASKABLE = "progress: questions can be asked:"


def report(events: list[tuple[float, ProgressEvent]]) -> list[tuple[float, str]]:
    """Every line, with the time when it was written."""
    clock, written = Clock(0.0), list[tuple[float, str]]()
    lines = PlainLines(lambda line: written.append((clock.now, line)), clock)
    for clock.now, event in events:
        lines(event)
    return written


@pytest.mark.requirement(57)
def test_each_phase_is_a_line_as_soon_as_it_begins() -> None:
    assert report(
        [
            (0.1, Progress(LISTING, 0, 0)),
            (0.2, Progress(LISTING, 3, 3)),
            (0.3, Progress(READING, 0, 3, 0)),
            (0.4, Progress(READING, 3, 3, 12)),
            (0.5, Progress(RELATIONS, 0, 3, 12)),
            (0.6, Progress(RELATIONS, 3, 3, 12)),
            (0.7, askable(1, 0)),
            (0.8, Progress(EMBEDDINGS, 0, 15)),
            (0.9, Progress(EMBEDDINGS, 15, 15)),
            (1.0, askable(2, 4)),
        ]
    ) == [
        (0.1, "progress: listing"),
        (0.3, "progress: reading: 0 of 3 files"),
        (0.5, "progress: relations: 0 of 3 texts"),
        (
            0.7,
            f"{ASKABLE} snapshot 1 of notes main (words, names and relations; embeddings none)",
        ),
        (0.8, "progress: embeddings: 0 of 15 texts"),
        (
            1.0,
            f"{ASKABLE} snapshot 2 of notes main (words, names and relations; embeddings complete)",
        ),
    ]


@pytest.mark.requirement(57)
def test_a_long_phase_has_at_most_one_more_line_every_ten_seconds() -> None:
    events: list[tuple[float, ProgressEvent]] = [
        (n / 10, Progress(READING, n, 2000, 3 * n)) for n in range(1000)
    ]
    events += [(100 + n / 10, askable(1 + n, 2, documents=9)) for n in range(200)]
    written = report(events)
    assert [time for time, _ in written[1:10]] == [10.0 * n for n in range(1, 10)]
    assert written[3][1] == (
        "progress: reading: 300 of 2,000 files, 900 chunks, "
        "10 files/s, 30 chunks/s, 2 min 50 s left"
    )
    later = [time for time, _ in written[10:]]
    assert later[0] == 100  # the first snapshot is news
    assert all(b - a >= SECONDS_BETWEEN for a, b in pairwise(later))


def test_lines_have_no_control_characters() -> None:
    written = report(
        [(0.0, Progress("reading \x1b[2J\r\n", 1, 2)), (1.0, askable(1, 0, repository="\x1b\n"))]
    )
    assert len(written) == 2
    assert all(line.isprintable() and line.startswith(PREFIX) for _, line in written)
