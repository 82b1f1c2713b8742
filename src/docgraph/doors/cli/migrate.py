"""docgraph migrate: bring the tables of a Postgres store up to date."""

from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, existing_or_new, print_json

CheckOption = Annotated[
    bool, typer.Option("--check", help="Change nothing; the exit code is 1 if something is to do.")
]


def migrate(
    check: CheckOption = False, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Bring a Postgres store up to date.

    Makes the tables in a new database, and changes those of an older docgraph; every row stays.
    A SQLite store needs none of this.
    """
    from docgraph.wiring.migrate import look_for_migrations, migrate_store

    settings = existing_or_new(store)
    found = look_for_migrations(settings) if check else migrate_store(settings)
    if json:
        print_json(found)
    else:
        for name in found.applied:
            typer.echo(f"applied {name}")
        for name in found.pending:
            typer.echo(f"pending {name}")
        done = "is up to date" if not found.pending else "is behind; run `docgraph migrate`"
        typer.echo(f"{found.store} {done}")
    if found.pending:
        raise typer.Exit(1)
