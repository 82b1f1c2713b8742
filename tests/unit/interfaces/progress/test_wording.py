"""Counts, rates and durations as a person reads them."""

import pytest

from docgraph.ingest.progress import EMBEDDINGS, LISTING, READING, RELATIONS, Progress
from docgraph.interfaces.cli.progress.estimate import PhaseEstimate
from docgraph.interfaces.cli.progress.tracker import PhaseState
from docgraph.interfaces.cli.progress.wording import (
    STILL,
    describe_askable,
    describe_counts,
    describe_duration,
    describe_rates,
    describe_time,
)
from tests.support.progress_events import askable


def state(
    progress: Progress,
    estimate: PhaseEstimate,
    *,
    seconds: float | None = 5.0,
    quiet: float = 0.0,
    finished: bool = False,
) -> PhaseState:
    return PhaseState(progress, estimate, 0, seconds, quiet, finished)


@pytest.mark.parametrize(
    ("progress", "chunks", "words"),
    [
        (Progress(READING, 1204, 4023), 20_913, "1,204 of 4,023 files, 20,913 chunks"),
        (Progress(LISTING, 300, 0), 0, "300 files"),
        (Progress(LISTING, 0, 0), 0, ""),
        (Progress(RELATIONS, 0, 12), 0, "0 of 12 texts"),
        (Progress(f"ingest 1/3 {EMBEDDINGS}", 5, 6), 0, "5 of 6 texts"),
        (Progress("rank flat", 5, 6), 0, "5 of 6 questions"),
        (Progress("other", 5, 6), 0, "5 of 6"),
    ],
)
def test_counts_say_what_is_done_of_all(progress: Progress, chunks: int, words: str) -> None:
    assert describe_counts(progress, chunks) == words


@pytest.mark.parametrize(
    ("rate", "chunk_rate", "words"),
    [
        (1240.4, 13_000.0, "1,240 files/s, 13,000 chunks/s"),
        (3.26, None, "3.3 files/s"),
        (0.2, None, "12 files/min"),
        (None, None, ""),
    ],
)
def test_rates_are_per_second_or_per_minute_where_they_are_low(
    rate: float | None, chunk_rate: float | None, words: str
) -> None:
    assert describe_rates(state(Progress(READING, 3, 9), PhaseEstimate(rate, chunk_rate))) == words


@pytest.mark.requirement(57)
def test_where_nothing_is_reported_any_more_it_says_so_instead_of_a_rate() -> None:
    known = PhaseEstimate(rate=9.0)
    assert describe_rates(state(Progress(READING, 3, 9), known, quiet=STILL - 1)) == "9.0 files/s"
    assert describe_rates(state(Progress(READING, 3, 9), known, quiet=40)) == "nothing new for 40 s"


def test_the_time_is_that_left_or_that_taken() -> None:
    progress = Progress(READING, 3, 9)
    assert describe_time(state(progress, PhaseEstimate(seconds_left=33.0))) == "35 s left"
    assert describe_time(state(progress, PhaseEstimate())) == ""
    assert describe_time(state(progress, PhaseEstimate(), seconds=None)) == "to come"
    assert describe_time(state(progress, PhaseEstimate(), seconds=48.0, finished=True)) == "in 50 s"
    assert describe_time(state(progress, PhaseEstimate(), seconds=0.4, finished=True)) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 s"),
        (9.4, "9 s"),
        (12.4, "10 s"),
        (59.9, "1 min"),
        (61.0, "1 min"),
        (200.0, "3 min 20 s"),
        (599.9, "10 min"),
        (1234.0, "21 min"),
        (3599.0, "1 h"),
        (5000.0, "1 h 25 min"),
        (86_400.0, "24 h"),
    ],
)
def test_durations_are_rounded(seconds: float, words: str) -> None:
    assert describe_duration(seconds) == words


def test_a_rounded_duration_is_at_most_a_fourth_off() -> None:
    units = {"s": 1, "min": 60, "h": 3600}
    for seconds in range(5, 20_000, 7):
        words = describe_duration(seconds).split()
        shown = sum(int(n) * units[unit] for n, unit in zip(words[::2], words[1::2], strict=True))
        assert abs(shown - seconds) <= 0.25 * seconds


@pytest.mark.requirement(57)
def test_it_says_which_snapshot_can_be_asked_and_how() -> None:
    assert describe_askable(askable(1, 0)) == (
        "questions can be asked: snapshot 1 of notes main "
        "(words, names and relations; embeddings none)"
    )
    assert describe_askable(askable(3, 2)).endswith(
        "embeddings partial: 2 of 4 documents, 6 of 12 chunks)"
    )


def test_a_name_with_control_characters_is_shown_on_one_line_with_escapes() -> None:
    shown = describe_askable(askable(1, 0, repository="a\x1b[31m\nb\u202e"))
    assert "snapshot 1 of a\\x1b[31m\\nb\\u202e main" in shown
