"""What a person sees on a terminal."""

import io
import re

import pytest

from docgraph.ingest.progress import (
    EMBEDDINGS,
    LISTING,
    READING,
    RELATIONS,
    Progress,
    ProgressEvent,
)
from docgraph.interfaces.cli.console import EscapingConsole
from docgraph.interfaces.cli.progress.terminal import MAX_FINISHED, TerminalDisplay
from tests.support.progress_events import Clock, askable

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Screen:
    """A display on a terminal of its own; only the test's clock moves."""

    def __init__(self, width: int = 120) -> None:
        self.clock = Clock()
        self._written = io.StringIO()
        console = EscapingConsole(
            file=self._written, force_terminal=True, width=width, height=30, legacy_windows=False
        )
        self.display = TerminalDisplay(console, self.clock, redrawn_by_itself=False)
        self.display.open()

    def report(self, *events: ProgressEvent, seconds: float = 0.0) -> None:
        for event in events:
            self.clock.now += seconds
            self.display(event)

    def raw(self) -> str:
        """What is written from now on to draw it once more."""
        before = len(self._written.getvalue())
        self.display.redraw()
        return self._written.getvalue()[before:]

    def lines(self, after: float = 0.0) -> list[str]:
        self.clock.now += after
        return [" ".join(line.split()) for line in SEQUENCE.sub("", self.raw()).splitlines()]

    def text(self) -> str:
        return " ".join(self.lines())

    def close(self, *, early: bool) -> str:
        before = len(self._written.getvalue())
        self.display.close(early=early)
        return SEQUENCE.sub("", self._written.getvalue()[before:].rpartition("\x1b[2K")[2])


@pytest.mark.requirement(57)
def test_something_is_shown_at_once_and_before_the_first_file() -> None:
    screen = Screen()
    assert screen.lines() == ["starting"]
    assert screen.lines(after=3) == ["starting 3 s so far"]
    screen.report(Progress(LISTING, 0, 0))
    assert screen.lines() == ["listing"]
    screen.report(Progress(LISTING, 9, 9), Progress(READING, 0, 9, 0, 0, 900))
    first, second = screen.lines()
    assert first == "listing 100 % 9 of 9 files"
    assert second == "reading 0 % 0 of 9 files"


@pytest.mark.requirement(57)
def test_phases_are_shown_in_order_with_counts_rate_and_time_left() -> None:
    screen = Screen()
    screen.report(Progress(LISTING, 100, 100), Progress(READING, 0, 100, 0))
    screen.report(*(Progress(READING, n, 100, 4 * n) for n in range(1, 21)), seconds=1)
    screen.report(Progress(EMBEDDINGS, 0, 500))
    listing, reading, rates, embeddings = screen.lines(after=0.5)
    assert listing == "listing 100 % 100 of 100 files"
    assert reading == "reading 20 % 20 of 100 files, 80 chunks 1 min 20 s left"
    assert rates == "1.0 files/s, 4.0 chunks/s"
    assert embeddings == "embeddings 0 of 500 texts to come"


@pytest.mark.requirement(57)
def test_when_questions_can_be_asked_a_line_says_so() -> None:
    screen = Screen()
    screen.report(Progress(READING, 4, 4), askable(1, 0), Progress(EMBEDDINGS, 0, 500))
    assert screen.text().endswith(
        "questions can be asked: snapshot 1 of notes main "
        "(words, names and relations; embeddings none)"
    )
    screen.report(askable(2, 2))
    assert screen.text().endswith("embeddings partial: 2 of 4 documents, 6 of 12 chunks)")


def test_between_two_phases_it_says_that_something_goes_on() -> None:
    screen = Screen()
    screen.report(Progress(RELATIONS, 4, 4))
    assert screen.lines() == ["relations 100 % 4 of 4 texts"]
    assert screen.lines(after=5) == ["relations 100 % 4 of 4 texts", "writing 5 s so far"]


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_a_line_is_never_wider_than_the_terminal(width: int) -> None:
    screen = Screen(width)
    screen.report(Progress(READING, 0, 10**7, 0))
    screen.report(*(Progress(READING, n, 10**7, 10**6 * n) for n in range(1, 21)), seconds=1)
    drawn = SEQUENCE.sub("", screen.raw())
    assert drawn.startswith("reading")
    assert all(len(line) <= width for line in drawn.splitlines())
    assert len(drawn.splitlines()) == 2


def test_of_many_phases_the_last_ones_are_shown() -> None:
    screen = Screen()
    screen.report(*(Progress(f"ingest {n}/50 reading", 1, 1) for n in range(1, 51)))
    shown = screen.lines()
    assert len(shown) == MAX_FINISHED
    assert shown[-1].startswith("ingest 50/50 reading")


def test_it_vanishes_at_the_end() -> None:
    screen = Screen()
    screen.report(Progress(READING, 4, 4), askable(1, 4))
    assert screen.close(early=False) == ""


def test_when_it_ends_early_what_can_be_asked_stays() -> None:
    screen = Screen()
    screen.report(Progress(EMBEDDINGS, 1, 40), askable(1, 1))
    assert screen.close(early=True).startswith("questions can be asked: snapshot 1 of notes main")


@pytest.mark.requirement(57)
def test_names_do_not_control_the_terminal() -> None:
    screen = Screen()
    screen.report(
        Progress("reading \x1b]0;owned\x07\x9b31m", 1, 2), askable(1, 0, repository="\x1b[2J\u202e")
    )
    raw = screen.raw()
    assert "\\x1b]0;owned\\x07\\x9b31m" in raw
    assert "\\x1b[2J\\u202e" in raw
    assert not re.search("\x1b\\]|\x07|\x9b|\x1b\\[2J|\u202e", raw)
