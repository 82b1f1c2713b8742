"""Which phases there are, which one goes on, and how long each takes."""

import pytest

from docgraph.ingest.progress import (
    EMBEDDINGS,
    LISTING,
    READING,
    RELATIONS,
    Progress,
)
from docgraph.interfaces.cli.progress.tracker import PhaseState, ProgressTracker
from tests.support.progress_events import Clock, askable


def names(tracker: ProgressTracker) -> list[str]:
    return [phase.progress.phase for phase in tracker.state().phases]


def phase(tracker: ProgressTracker, name: str) -> PhaseState:
    return next(one for one in tracker.state().phases if one.progress.phase == name)


def test_before_the_first_event_nothing_is_known() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    clock.now += 3
    state = tracker.state()
    assert (state.phases, state.current, state.askable) == ((), None, None)
    assert state.quiet == 3


def test_phases_are_in_their_usual_order_even_if_one_is_announced_early() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(LISTING, 4, 4))
    tracker.add(Progress(READING, 1, 4))
    tracker.add(Progress(EMBEDDINGS, 0, 90))
    tracker.add(Progress(READING, 4, 4))
    tracker.add(Progress(RELATIONS, 0, 4))
    assert names(tracker) == [LISTING, READING, RELATIONS, EMBEDDINGS]


def test_phases_of_other_work_come_as_they_are_reported() -> None:
    tracker = ProgressTracker(Clock())
    tracker.add(Progress("rank b", 1, 2))
    tracker.add(Progress("rank a", 1, 2))
    assert names(tracker) == ["rank b", "rank a"]


@pytest.mark.requirement(57)
def test_an_announced_phase_has_not_begun_and_takes_no_time() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(READING, 0, 8))
    for done in range(1, 5):
        clock.now += 10
        tracker.add(Progress(READING, done, 8))
        tracker.add(Progress(EMBEDDINGS, 0, 90 * done))
    assert phase(tracker, EMBEDDINGS).seconds is None
    assert phase(tracker, EMBEDDINGS).progress.total == 360
    current = tracker.state().current
    assert current is not None
    assert current.progress.phase == READING


@pytest.mark.requirement(57)
def test_a_phase_that_was_announced_between_two_others_begins_with_its_first_text() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(READING, 4, 4))
    tracker.add(Progress(EMBEDDINGS, 0, 90))
    tracker.add(Progress(RELATIONS, 0, 2))
    for done in (1, 2):
        clock.now += 100
        tracker.add(Progress(RELATIONS, done, 2))
    for done in range(10, 60, 10):
        clock.now += 1
        tracker.add(Progress(EMBEDDINGS, done, 90))
    clock.now += 0.5
    found = phase(tracker, EMBEDDINGS)
    assert found.seconds == 4.5
    assert found.estimate.rate == pytest.approx(10)
    assert found.estimate.seconds_left == pytest.approx(3.5)


def test_a_finished_phase_keeps_the_time_that_it_took() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(READING, 0, 4))
    clock.now += 7
    tracker.add(Progress(READING, 4, 4))
    clock.now += 90
    found = phase(tracker, READING)
    assert (found.is_finished, found.seconds) == (True, 7)


def test_a_phase_without_a_total_ends_when_the_next_begins() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(LISTING, 0, 0))
    tracker.add(Progress(LISTING, 100, 0))
    assert not phase(tracker, LISTING).is_finished
    tracker.add(Progress(READING, 0, 100))
    assert phase(tracker, LISTING).is_finished


def test_a_phase_that_counts_again_from_the_start_begins_anew() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(READING, 0, 4, 0))
    tracker.add(Progress(READING, 4, 4, 12))
    clock.now += 50
    tracker.add(Progress(READING, 0, 9, 0))
    found = phase(tracker, READING)
    assert (found.is_finished, found.seconds, found.chunks) == (False, 0, 0)


def test_chunks_are_counted_where_they_are_made() -> None:
    tracker = ProgressTracker(Clock())
    for done in range(3):
        tracker.add(Progress(READING, done, 2, 6 * done))
        tracker.add(Progress(RELATIONS, done, 2, 12))
    assert phase(tracker, READING).chunks == 12
    assert phase(tracker, RELATIONS).chunks == 0


@pytest.mark.requirement(57)
def test_the_time_left_in_all_needs_an_estimate_of_all_that_is_known_to_come() -> None:
    clock = Clock()
    tracker = ProgressTracker(clock)
    tracker.add(Progress(READING, 0, 100))
    for done in range(1, 21):
        clock.now += 1
        tracker.add(Progress(READING, done, 100))
    clock.now += 0.5
    assert tracker.state().seconds_left == pytest.approx(79.5)
    tracker.add(Progress(EMBEDDINGS, 0, 500))
    assert tracker.state().seconds_left is None


def test_the_newest_snapshot_that_can_be_asked_is_known() -> None:
    tracker = ProgressTracker(Clock())
    tracker.add(askable(1, 0))
    tracker.add(askable(2, 4))
    assert tracker.state().askable == askable(2, 4)
