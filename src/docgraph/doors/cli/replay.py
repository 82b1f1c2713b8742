"""docgraph replay: does a receipt still give the same bytes?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.doors.cli.options import (
    AsOption,
    JsonOption,
    StoreOption,
    asker,
    engine_for,
    print_json,
)

if TYPE_CHECKING:
    from docgraph.pipeline.receipt import Receipt


def replay(
    receipt: Annotated[
        Path, typer.Argument(help="A receipt that --receipt wrote.", show_default=False)
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Only check that the receipt is consistent; needs no store."),
    ] = False,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Replay a receipt.

    Does the recorded steps again, on the receipt's snapshots and with the rights you have now.
    Gives the same once more, or names the first step that differs and what changed.
    """
    from docgraph.doors.cli.show_replay import replay_as_data, show_problems, show_replay
    from docgraph.pipeline.receipt_problems import problems_of

    told = read_receipt(receipt)
    if check:
        problems = problems_of(told)
        if json:
            print_json({"consistent": not problems, "problems": problems})
        else:
            show_problems(told, problems)
        raise typer.Exit(1 if problems else 0)
    found = engine_for(store, question=told.question).replay(asker(store, as_), told)
    if json:
        print_json(replay_as_data(found))
    else:
        show_replay(found)
    if not found.same:
        raise typer.Exit(1)


def read_receipt(file: Path) -> "Receipt":
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.receipt import receipt_from_json
    from docgraph.pipeline.strict_json import LARGEST

    try:
        with file.open("rb") as opened:
            return receipt_from_json(opened.read(LARGEST + 1))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
