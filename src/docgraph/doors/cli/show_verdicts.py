"""What people see of a test of retrieval; written without rich, which would take long to load."""

from collections.abc import Sequence

import typer

from docgraph.doors.cli.printable import printable
from docgraph.evaluation.judge import Verdict


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        expected = verdict.expectation
        whom = f" (as {expected.as_})" if expected.as_ else ""
        word = typer.style("ok  " if verdict.good else "FAIL", fg=_colour(verdict))
        typer.echo(f"{word} {printable(expected.question + whom)}  {verdict.tokens} tokens")
        for problem in verdict.problems:
            typer.echo(f"       line {expected.line}: {printable(problem)}")
    failed = sum(not verdict.good for verdict in verdicts)
    typer.secho(f"{len(verdicts) - failed} as expected, {failed} not", bold=True)


def _colour(verdict: Verdict) -> str:
    return typer.colors.GREEN if verdict.good else typer.colors.RED
