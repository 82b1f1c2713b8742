"""docgraph prune: remove old snapshots for good."""

from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, administration_for, print_json


def prune(
    repository: Annotated[
        str, typer.Option("--repository", "-r", help="The repository.", show_default=False)
    ],
    branch: Annotated[str, typer.Option("--branch", "-b", help="Its branch.")] = "main",
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="How many of the newest snapshots to keep.")
    ] = 1,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Remove old snapshots for good.

    What only they held (texts, vectors, relations) is removed, and in a SQLite file overwritten.
    A plan that was saved on one of them finds nothing any more.
    """
    from docgraph.doors.login.principals import local

    found = administration_for(store).prune(local(), repository, branch, keep)
    if json:
        print_json(found)
    else:
        typer.echo(
            f"removed: snapshots {found.snapshots}, document versions {found.documents}, "
            f"texts {found.texts}, vectors {found.vectors}"
        )
