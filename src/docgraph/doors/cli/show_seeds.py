"""What people see of seeds, written without rich, which would take long to load."""

import typer

from docgraph.doors.cli.printable import printable
from docgraph.model.seeds import Seeds


def show_seeds(seeds: Seeds) -> None:
    if not seeds.ranked:
        typer.echo("nothing visible matches")
        return
    widest = max(len(seed.why) for seed in seeds.ranked)
    for place, seed in enumerate(seeds.ranked, start=1):
        why = printable(f"{seed.why:<{widest}}")
        name = typer.style(printable(seed.id), fg=typer.colors.CYAN)
        typer.echo(f"{place:>3}  {seed.score:.4f}  {why}  {name}")
    if seeds.selection.dropped:
        typer.secho(printable(f"kept: {seeds.selection.reason}"), dim=True)
        typer.secho(printable(f"left out: {', '.join(seeds.selection.dropped)}"), dim=True)
