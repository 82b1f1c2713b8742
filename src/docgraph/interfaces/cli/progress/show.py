"""Chooses how progress is shown, and shows it as long as the work goes on."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from docgraph.ingest.progress import ReportProgress, no_progress
from docgraph.interfaces.terminal import escape_json, raw_stream

_TERMINALS_OF_LINES = frozenset({"dumb", "unknown"})


class ProgressStyle(Enum):
    HIDDEN = "hidden"
    TERMINAL = "terminal"
    LINES = "lines"
    JSON = "json"


def choose_style(*, quiet: bool, json: bool) -> ProgressStyle:
    if quiet:
        return ProgressStyle.HIDDEN
    if json:
        return ProgressStyle.JSON
    return ProgressStyle.TERMINAL if _can_redraw() else ProgressStyle.LINES


def terminal_only() -> ProgressStyle:
    return ProgressStyle.TERMINAL if _can_redraw() else ProgressStyle.HIDDEN


def _can_redraw() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in _TERMINALS_OF_LINES


@contextmanager
def show_progress(style: ProgressStyle) -> Iterator[ReportProgress]:
    """On standard error."""
    match style:
        case ProgressStyle.HIDDEN:
            yield no_progress
        case ProgressStyle.TERMINAL:
            with _on_terminal() as report:
                yield report
        case ProgressStyle.LINES:
            from docgraph.interfaces.cli.progress.lines import PlainLines

            yield PlainLines(_write_line, time.monotonic)
        case ProgressStyle.JSON:
            with _as_json() as report:
                yield report


@contextmanager
def _on_terminal() -> Iterator[ReportProgress]:
    from docgraph.interfaces.cli.console import EscapingConsole
    from docgraph.interfaces.cli.progress.terminal import TerminalDisplay

    display = TerminalDisplay(EscapingConsole(stderr=True), time.monotonic)
    display.open()
    try:
        yield display
    except BaseException:
        display.close(early=True)
        raise
    display.close(early=False)


@contextmanager
def _as_json() -> Iterator[ReportProgress]:
    from docgraph.interfaces.cli.progress.json_events import JsonEvents

    events = JsonEvents(lambda line: _write_line(escape_json(line)), time.monotonic)
    try:
        yield events
    finally:
        events.close()


def _write_line(line: str) -> None:
    stream = raw_stream(err=True)
    stream.write(line + "\n")
    stream.flush()
