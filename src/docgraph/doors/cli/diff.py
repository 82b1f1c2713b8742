"""docgraph diff: what two retrievals differ in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from docgraph.doors.cli.options import (
    JsonOption,
    OptionalQuestion,
    StoreOption,
    asker,
    engine_for,
    pipeline_named,
    print_json,
    wanted,
)

if TYPE_CHECKING:
    from docgraph.model.retrieval_diff import RetrievalSide

T = TypeVar("T")


def diff(
    question: OptionalQuestion = "",
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="NAME", help="In whose name; `local` is you."),
    ] = None,
    pipeline: Annotated[
        list[str] | None,
        typer.Option("--pipeline", "-p", help="A shipped pipeline's name, or a YAML file."),
    ] = None,
    repository: Annotated[
        list[str] | None, typer.Option("--repository", "-r", help="Ask this repository only.")
    ] = None,
    branch: Annotated[
        list[str] | None, typer.Option("--branch", "-b", help="Ask this branch of it.")
    ] = None,
    snapshot: Annotated[
        list[int] | None, typer.Option("--snapshot", help="Ask this snapshot of that branch.")
    ] = None,
    receipt: Annotated[
        list[Path] | None,
        typer.Option("--receipt", metavar="FILE", help="Compare two receipts instead."),
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 if they differ.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Compare two retrievals.

    Asks the question twice. An option that is given once counts for both sides, one that is given
    twice for the left and the right. Shows documents, edges, evidence and tokens gained and lost.
    """
    from docgraph.doors.cli.show_retrieval_diff import show_retrieval_diff
    from docgraph.model.retrieval_diff import difference

    options = (as_, pipeline, repository, branch, snapshot)
    if receipt:
        left, right = _receipts(receipt, question, any(options))
    else:
        _twice(options)
        who, how, where = _pair(as_), _pair(pipeline), _pair(repository)
        homes, numbers = _pair(branch), _pair(snapshot)
        engine = engine_for(store, question=question)
        sides = []
        for at in (0, 1):
            reader = asker(store, None if who[at] == "local" else who[at])
            steps = pipeline_named(how[at] or "documents")
            place = wanted(where[at], homes[at], numbers[at])
            sides.append(_side(engine.retrieve(reader, question, steps, wanted=place), reader))
        left, right = sides
    found = difference(left, right)
    if json:
        print_json({"differs": found.differs, "left": left.asked, "right": right.asked, "diff": found})
    else:
        show_retrieval_diff(found)
    if exit_code and found.differs:
        raise typer.Exit(1)
