"""Progress on a terminal: a line for each phase, redrawn several times a second."""

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from docgraph.ingest.progress import Askable, ProgressEvent
from docgraph.interfaces.cli.console import EscapingConsole
from docgraph.interfaces.cli.progress.tracker import (
    Clock,
    IngestState,
    PhaseState,
    ProgressTracker,
)
from docgraph.interfaces.cli.progress.wording import (
    describe_askable,
    describe_counts,
    describe_duration,
    describe_rates,
    describe_time,
)
from docgraph.interfaces.terminal import escape_line

REDRAWS = 4  # a second
MAX_FINISHED = 4  # phases that are over and still shown
GAP = "  "
PAUSE = 1.0  # seconds between two phases, after which it says that something goes on


class TerminalDisplay:
    """Vanishes at the end; if it ends early, what can be asked stays to be read."""

    def __init__(
        self, console: EscapingConsole, clock: Clock, *, redrawn_by_itself: bool = True
    ) -> None:
        self._console = console
        self._tracker = ProgressTracker(clock)
        self._live = Live(
            console=console,
            get_renderable=self._draw,
            refresh_per_second=REDRAWS,
            auto_refresh=redrawn_by_itself,
            transient=True,
            # Its stand-ins for the standard streams do not escape control characters.
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __call__(self, event: ProgressEvent) -> None:
        self._tracker.add(event)

    def open(self) -> None:
        self._live.start(refresh=True)

    def redraw(self) -> None:
        self._live.refresh()

    def close(self, *, early: bool) -> None:
        self._live.stop()
        askable = self._tracker.state().askable
        if early and askable is not None:
            self._console.print(_askable_line(askable), soft_wrap=True)

    def _draw(self) -> RenderableType:
        state = self._tracker.state()
        lines = _phase_lines(_shown(state.phases))
        if state.current is None or (state.current.is_finished and state.quiet >= PAUSE):
            lines.append(_busy_line(state))
        if state.askable is not None:
            lines.append(_askable_line(state.askable))
        return Group(*lines)


def _shown(phases: tuple[PhaseState, ...]) -> list[PhaseState]:
    finished = [phase for phase in phases if phase.is_finished]
    hidden = {phase.progress.phase for phase in finished[:-MAX_FINISHED]}
    return [phase for phase in phases if phase.progress.phase not in hidden]


def _phase_lines(phases: list[PhaseState]) -> list[Text]:
    """In columns, with rates below what they are rates of; a narrow terminal cuts lines off."""
    rows = [_columns(phase) for phase in phases]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for phase, row in zip(phases, rows, strict=True):
        is_active = phase.seconds is not None and not phase.is_finished
        line = GAP.join(map(str.ljust, row, widths)).rstrip()
        lines.append(_line(line, "" if is_active else "dim"))
        if rates := describe_rates(phase):
            indent = GAP.join(" " * width for width in widths[:2])
            lines.append(_line(f"{indent}{GAP}{rates}"))
    return lines


def _columns(phase: PhaseState) -> tuple[str, ...]:
    return (
        escape_line(phase.progress.phase),
        _percentage(phase),
        describe_counts(phase.progress, phase.chunks),
        describe_time(phase),
    )


def _line(text: str, style: str = "") -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def _percentage(phase: PhaseState) -> str:
    """By what the time depends on. It is 100 only at the end."""
    now = phase.progress
    done, total = (now.size, now.total_size) if now.total_size else (now.done, now.total)
    return f"{100 * done // total:>3} %" if total and phase.seconds is not None else ""


def _busy_line(state: IngestState) -> Text:
    what = "starting" if state.current is None else "writing"
    seconds = f"  {describe_duration(state.quiet)} so far" if state.quiet >= PAUSE else ""
    return Text(what + seconds)


def _askable_line(event: Askable) -> Text:
    return Text(describe_askable(event), "green")
