"""Progress on long work, on standard error: a bar, how fast it goes, the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from docgraph.ingest.result import Progress
from docgraph.interfaces.cli.console import EscapingConsole


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[Progress], None]]:
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

        def update(now: Progress) -> None:
            if now.stage not in tasks:
                tasks[now.stage] = bar.add_task(now.stage, total=now.total, rates="")
            task = tasks[now.stage]
            spent = bar.tasks[bar.task_ids.index(task)].elapsed or 0.0
            bar.update(task, completed=now.done, total=now.total, rates=rates(now, spent))

        yield update


def rates(now: Progress, seconds: float) -> str:
    """Files, chunks and embeddings per second; empty before the first chunk."""
    if not now.chunks or seconds <= 0:
        return ""
    counts = ((now.done, "files"), (now.chunks, "chunks"), (now.vectors, "embeddings"))
    return ", ".join(f"{count / seconds:.0f} {name}/s" for count, name in counts)
