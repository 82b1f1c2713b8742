"""Looking at a source delays no answer, and happens once a second at most."""

import threading
from collections.abc import Iterator

import pytest

from docgraph.engine.source_monitor import MonitorLimits, SourceMonitor
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SourceLocation
from docgraph.model.source_state import SourceState
from docgraph.ports.source_states import BranchKey, IngestedSource
from docgraph.ports.writes import SourceRevision

KEY = BranchKey("local", "notes", "main")
PATIENT = MonitorLimits(patience=60.0, most_files=7)
HASTY = MonitorLimits(patience=0.0, most_files=None)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class States:
    """Counts how often it is looked at; a look ends when the gate is open."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.looks: list[int | None] = []
        self.error: Exception | None = None

    def record(self, key: BranchKey, source: IngestedSource) -> None:
        raise PermissionError(13, "Permission denied")

    def find(self, key: BranchKey, most_files: int | None, /) -> SourceState:
        self.looks.append(most_files)
        assert self.gate.wait(60)
        if self.error is not None:
            raise self.error
        return SourceState(key.repository, key.branch, "moved", len(self.looks))


@pytest.fixture
def states() -> Iterator[States]:
    found = States()
    found.gate.set()
    yield found
    found.gate.set()


def files(monitor: SourceMonitor) -> int:
    (found,) = monitor.find((KEY,))
    assert found.state == "moved"
    return found.files


def test_a_look_serves_all_questions_of_a_second(states: States) -> None:
    clock = Clock()
    monitor = SourceMonitor(states, PATIENT, clock)
    assert [files(monitor), files(monitor)] == [1, 1]
    clock.now = 0.9
    assert files(monitor) == 1
    clock.now = 1.1
    assert files(monitor) == 2
    assert states.looks == [7, 7]


def test_a_slow_source_delays_no_answer_and_is_looked_at_once(states: States) -> None:
    states.gate.clear()
    monitor = SourceMonitor(states, HASTY, Clock())
    for _ in range(5):
        assert monitor.find((KEY,)) == (SourceState("notes", "main", "unknown"),)
    states.gate.set()
    while monitor.find((KEY,))[0].state == "unknown":
        pass
    assert states.looks == [None]


def test_an_old_look_is_not_shown_as_new(states: States) -> None:
    clock = Clock()
    monitor = SourceMonitor(states, HASTY, clock)
    while monitor.find((KEY,))[0].state == "unknown":
        pass
    states.gate.clear()
    clock.now = 9.0
    assert monitor.find((KEY,))[0].state == "moved"
    clock.now = 11.0
    assert monitor.find((KEY,))[0].state == "unknown"


def test_an_error_of_the_source_is_unknown(states: States) -> None:
    states.error = BadInput("there is no such folder")
    assert SourceMonitor(states, PATIENT).find((KEY,))[0].state == "unknown"


def test_after_an_ingest_the_source_is_looked_at_anew_even_if_nothing_can_be_recorded(
    states: States, caplog: pytest.LogCaptureFixture
) -> None:
    monitor = SourceMonitor(states, PATIENT, Clock())
    assert files(monitor) == 1
    monitor.record(KEY, IngestedSource(SourceLocation("/notes"), SourceRevision()))
    assert "cannot be recorded beside the store: [Errno 13]" in caplog.text
    assert files(monitor) == 2


def test_without_a_record_all_is_unknown() -> None:
    assert SourceMonitor().find((KEY,)) == (SourceState("notes", "main", "unknown"),)
