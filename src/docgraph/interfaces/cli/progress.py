"""Progress on long work, on standard error: a bar, how fast it goes, the time left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from docgraph.ingest.progress import Progress, ProgressEvent, ReportProgress
from docgraph.interfaces.cli.console import EscapingConsole


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[ReportProgress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rates]}"),
    )
    with Bar(
        *columns, console=EscapingConsole(stderr=True), disable=not shown, transient=True
    ) as bar:
        tasks: dict[str, Any] = {}

        def update(now: ProgressEvent) -> None:
            if not isinstance(now, Progress):
                return
            if now.phase not in tasks:
                tasks[now.phase] = bar.add_task(now.phase, total=now.total or None, rates="")
            task = tasks[now.phase]
            spent = bar.tasks[bar.task_ids.index(task)].elapsed or 0.0
            bar.update(task, completed=now.done, total=now.total or None, rates=rates(now, spent))

        yield update


def rates(now: Progress, seconds: float) -> str:
    """Per second of the phase's unit, and of chunks; empty before the first chunk."""
    if not now.chunks or seconds <= 0:
        return ""
    counts = ((now.done, "done"), (now.chunks, "chunks"))
    return ", ".join(f"{count / seconds:.0f} {name}/s" for count, name in counts)
