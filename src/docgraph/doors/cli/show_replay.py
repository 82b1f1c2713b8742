"""What people and machines see of a replay: what it gave again, or what differs."""

from typing import TYPE_CHECKING, Any

import typer

from docgraph.doors.cli.printable import printable
from docgraph.model.context import Context

if TYPE_CHECKING:
    from docgraph.pipeline.receipt import Receipt
    from docgraph.pipeline.replayed import Replayed
    from docgraph.pipeline.retrieval import Retrieval


def show_replay(found: "Replayed") -> None:
    """The recorded command's own output, byte for byte, or the difference. The rest is said aside,
    on standard error."""
    if found.again is not None:
        _show_again(found.again)
        typer.secho(f"the same: {found.steps} of {found.steps} steps", err=True, bold=True)
    if found.difference is not None:
        told = found.difference
        place = f"step {told.place} of {found.steps} ({told.step})"
        typer.secho(f"differs from {printable(place)} on: {told.changed}", bold=True)
        typer.echo(f"    {printable(told.why)}")
    for note in found.notes:
        typer.echo(f"note: {printable(note)}", err=True)


def _show_again(again: "Retrieval") -> None:
    if Context in again.run.values:
        from docgraph.doors.cli.show_context import show_context

        show_context(again.context)
    else:
        from docgraph.doors.cli.show import show_plan

        show_plan(again.saved())


def replay_as_data(found: "Replayed") -> dict[str, Any]:
    again = found.again
    return {
        "same": found.same,
        "difference": found.difference,
        "notes": found.notes,
        "steps": found.steps,
        "plan": again.plan if again else None,
        "context": again.run.values.get(Context) if again else None,
    }


def show_problems(receipt: "Receipt", problems: tuple[str, ...]) -> None:
    if not problems:
        typer.echo(f"receipt {receipt.digest[:12]} is consistent")
    for problem in problems:
        typer.echo(printable(problem))
