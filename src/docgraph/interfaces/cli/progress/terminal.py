"""Progress on a terminal: a line for each phase, redrawn several times a second."""

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
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
PAUSE = 1.0  # seconds between two phases, after which it says that something goes on
_BAR, _WIDTH_WITH_BAR = 16, 100  # columns


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
        table = Table.grid(padding=(0, 2))
        columns = 5 if self._console.width >= _WIDTH_WITH_BAR else 4
        for _ in range(columns):
            table.add_column(no_wrap=True, overflow="ellipsis")
        for phase in _shown(state.phases):
            table.add_row(*_cells(phase, with_bar=columns == 5))
        lines: list[RenderableType] = [table] if state.phases else []
        if state.current is None or (state.current.is_finished and state.quiet >= PAUSE):
            lines.append(_busy_line(state))
        if state.askable is not None:
            lines.append(_askable_line(state.askable))
        return Group(*lines)


def _shown(phases: tuple[PhaseState, ...]) -> list[PhaseState]:
    finished = [phase for phase in phases if phase.is_finished]
    hidden = {phase.progress.phase for phase in finished[:-MAX_FINISHED]}
    return [phase for phase in phases if phase.progress.phase not in hidden]


def _cells(phase: PhaseState, *, with_bar: bool) -> list[RenderableType]:
    is_active = phase.seconds is not None and not phase.is_finished
    style = "" if is_active else "dim"
    texts = (
        describe_counts(phase.progress, phase.chunks),
        describe_time(phase),
        describe_rates(phase),
    )
    bar = [_bar(phase) if is_active else Text()] if with_bar else []
    name = Text(escape_line(phase.progress.phase), style)
    return [name, *bar, *(Text(text, style) for text in texts)]


def _bar(phase: PhaseState) -> ProgressBar:
    """By what the time depends on."""
    now = phase.progress
    done, total = (now.size, now.total_size) if now.total_size else (now.done, now.total)
    return ProgressBar(total=total or 1, completed=done, width=_BAR)


def _busy_line(state: IngestState) -> Text:
    what = "starting" if state.current is None else "writing"
    seconds = f"  {describe_duration(state.quiet)} so far" if state.quiet >= PAUSE else ""
    return Text(what + seconds)


def _askable_line(event: Askable) -> Text:
    return Text(describe_askable(event), "green")
