"""docgraph ingest: a folder becomes a snapshot."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, engine_for, print_json


def ingest(
    path: Annotated[Path, typer.Argument(help="A folder, or a single file.", show_default=False)],
    repository: Annotated[
        str,
        typer.Option(
            "--repository", "-r", help="The name that ids begin with.", show_default=False
        ),
    ],
    branch: Annotated[str, typer.Option("--branch", "-b", help="The branch to write.")] = "main",
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader",
            metavar="GROUP",
            help="A group that may read; repeatable. Default: local alone.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="A label that every reader must hold; repeatable."
        ),
    ] = None,
    level: Annotated[
        int, typer.Option("--level", min=0, help="The clearance that readers need.")
    ] = 0,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="MINER", help="Switch a relation miner off by name; repeatable."
        ),
    ] = None,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", help="Report files larger than this, do not read them.")
    ] = 10_000_000,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no list.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a folder in, as a new snapshot.

    Only what changed is embedded again; what is gone from the folder is gone from the snapshot.
    Readers see the old snapshot until the new one is complete.
    """
    from docgraph.doors.cli.progress import progress_bar
    from docgraph.doors.cli.show import show_ingest
    from docgraph.doors.login import local
    from docgraph.model.access import LOCAL, AccessRule
    from docgraph.wiring.build import open_folder

    rule = AccessRule(
        tenant=local().tenant,
        readers=frozenset(reader or [LOCAL]),
        labels=frozenset(label or ()),
        level=level,
    )
    with progress_bar(shown=not (quiet or json) and sys.stderr.isatty()) as progress:
        result = engine_for(store, must_exist=False).ingest(
            local(),
            open_folder(path, max_bytes),
            repository=repository,
            branch=branch,
            rule_for=lambda _: rule,
            without=tuple(without or ()),
            progress=progress,
        )
    if not local().may_read(rule):
        typer.echo("note: by these rules you cannot read what you took in", err=True)
    if json:
        print_json(result)
    else:
        show_ingest(result, brief=quiet)
