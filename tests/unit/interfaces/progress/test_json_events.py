"""Progress for programs."""

import json
from typing import Any

import pytest

from docgraph.ingest.progress import (
    EMBEDDINGS,
    LISTING,
    READING,
    Progress,
    ProgressEvent,
)
from docgraph.interfaces.cli.progress.json_events import JsonEvents
from tests.support.progress_events import Clock, askable


def report(events: list[tuple[float, ProgressEvent]]) -> list[dict[str, Any]]:
    clock, written = Clock(0.0), list[dict[str, Any]]()
    progress = JsonEvents(lambda line: written.append(json.loads(line)), clock)
    for clock.now, event in events:
        progress(event)
    progress.close()
    return written


@pytest.mark.requirement(57)
def test_an_event_has_the_counts_and_figures_where_there_is_a_basis() -> None:
    first, *_, last = report(
        [(n, Progress(READING, n, 100, 3 * n, 10 * n, 1000)) for n in range(21)]
    )
    assert first == {
        "event": "progress",
        "phase": "reading",
        "done": 0,
        "total": 100,
        "chunks": 0,
        "size": 0,
        "total_size": 1000,
        "rate": None,
        "chunk_rate": None,
        "seconds_left": None,
        "total_seconds_left": None,
    }
    assert last == {
        **first,
        "done": 20,
        "chunks": 60,
        "size": 200,
        "rate": 1.0,
        "chunk_rate": 3.0,
        "seconds_left": 80.0,
        "total_seconds_left": 80.0,
    }


@pytest.mark.requirement(57)
def test_a_phase_has_one_event_a_second_and_its_first_and_last() -> None:
    events: list[tuple[float, ProgressEvent]] = [(0.0, Progress(LISTING, 0, 0))]
    events += [(n / 100, Progress(READING, n, 250)) for n in range(251)]
    events += [(2.6, Progress(EMBEDDINGS, 0, 9)), (2.7, Progress(EMBEDDINGS, 1, 9))]
    reported = [(one["phase"], one["done"]) for one in report(events)]
    assert reported == [
        ("listing", 0),
        ("reading", 0),
        ("reading", 100),
        ("reading", 200),
        ("reading", 250),
        ("embeddings", 0),
        ("embeddings", 1),  # it ended early: this is its last
    ]


def test_every_snapshot_that_can_be_asked_is_an_event() -> None:
    assert report([(0.0, askable(1, 0)), (0.1, askable(2, 1))])[1] == {
        "event": "askable",
        "repository": "notes",
        "branch": "main",
        "snapshot": 2,
        "state": "partial",
        "documents": 4,
        "summarized": 1,
        "embedded": 1,
        "chunks": 12,
        "embedded_chunks": 3,
    }
