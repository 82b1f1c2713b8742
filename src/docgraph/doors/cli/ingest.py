"""docgraph ingest: a folder or a git repository becomes a snapshot."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    JsonOption,
    LabelOption,
    LevelOption,
    QuietOption,
    ReaderOption,
    StoreOption,
    WithoutOption,
    engine_for,
    print_json,
)


def ingest(
    path: Annotated[
        Path,
        typer.Argument(help="A folder, a single file, or a git repository.", show_default=False),
    ],
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository",
            "-r",
            help="The name that ids begin with. Default: the folder's name.",
            show_default=False,
        ),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            "-b",
            help="The branch to write. Default: that of --ref, else main.",
            show_default=False,
        ),
    ] = None,
    ref: Annotated[
        str | None,
        typer.Option(
            "--ref",
            metavar="REF",
            help="Read this branch, tag or commit of a git repository, not its work tree.",
            show_default=False,
        ),
    ] = None,
    reader: ReaderOption = None,
    label: LabelOption = None,
    level: LevelOption = 0,
    without: WithoutOption = None,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", help="Report files larger than this, do not read them.")
    ] = 10_000_000,
    quiet: QuietOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a folder or a commit in, as a new snapshot.

    Only what changed is parsed and embedded; what is gone from the source is gone from the
    snapshot. Readers see the old snapshot until the new one is complete.
    """
    from docgraph.doors.cli.show_store import show_ingest
    from docgraph.doors.cli.take_in import note_if_unreadable, take_in, told
    from docgraph.wiring.sources import open_source

    rule = told(reader, label, level)
    with open_source(
        path, repository=repository, branch=branch, ref=ref, max_bytes=max_bytes
    ) as opened:
        result = take_in(
            engine_for(store, must_exist=False),
            opened.source,
            repository=opened.repository,
            branch=opened.branch,
            told=rule,
            without=without,
            origin=opened.origin,
            silent=quiet or json,
        )
    note_if_unreadable(store, opened.repository, opened.branch)
    if json:
        print_json(result)
    else:
        show_ingest(result, brief=quiet)
