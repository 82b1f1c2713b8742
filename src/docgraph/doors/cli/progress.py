"""Progress on long work, on standard error: a bar, what was done so far, the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from docgraph.ingest.result import Progress


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[Progress], None]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), disable=not shown, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def update(now: Progress) -> None:
            if now.stage not in tasks:
                tasks[now.stage] = bar.add_task(now.stage, total=now.total)
            counted = f" ({now.chunks} chunks, {now.vectors} vectors)" if now.chunks else ""
            bar.update(
                tasks[now.stage],
                completed=now.done,
                total=now.total,
                description=f"{now.stage}{counted}",
            )

        yield update
