"""docgraph diff and replay: two retrievals compared, a receipt run again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from docgraph.interfaces.cli.options import (
    CommonOptions,
    JsonOption,
    OptionalQuestion,
    PipelineOptions,
    RequestOptions,
    StoreOption,
    build_request,
    engine_for,
    expand_options,
)
from docgraph.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from docgraph.model.diff import RetrievalSummary
    from docgraph.pipeline.receipt import Receipt


@expand_options
def replay(
    receipt: Annotated[
        Path, typer.Argument(help="A receipt that --receipt wrote.", show_default=False)
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Only check that the receipt is consistent; needs no store."),
    ] = False,
    *,
    common: CommonOptions,
) -> None:
    """Replay a receipt.

    Does the recorded steps again, on the receipt's snapshots and with the rights you have now.
    Gives the same once more, or names the first step that differs and what changed.
    """
    from docgraph.interfaces.cli.render_diff import replay_as_data, show_problems, show_replay
    from docgraph.pipeline.receipt_check import find_receipt_problems

    recorded = read_receipt(receipt)
    if check:
        problems = find_receipt_problems(recorded)
        if common.json:
            print_json({"consistent": not problems, "problems": problems})
        else:
            show_problems(recorded, problems)
        raise typer.Exit(1 if problems else 0)
    result = common.engine(recorded.question).questions.replay(common.reader(), recorded)
    if common.json:
        print_json(replay_as_data(result))
    else:
        show_replay(result)
    if not result.same:
        raise typer.Exit(1)


def read_receipt(file: Path) -> "Receipt":
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.receipt import receipt_from_json
    from docgraph.pipeline.retrieval import MAX_BYTES

    try:
        with file.open("rb") as opened:
            return receipt_from_json(opened.read(MAX_BYTES + 1))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error


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
    from docgraph.interfaces.cli.render_diff import show_retrieval_diff
    from docgraph.model.diff import compare_retrievals

    given = (as_, pipeline, repository, branch, snapshot)
    if receipt:
        left, right = _summaries_of_receipts(receipt, alone=not question and not any(given))
    else:
        _require_two_sides(given)
        people, *scopes = (_pair(one) for one in given)
        left, right = _summaries(question, store, people, tuple(zip(*scopes, strict=True)))
    difference = compare_retrievals(left, right)
    if json:
        print_json(
            {
                "differs": difference.differs,
                "left": left.settings,
                "right": right.settings,
                "diff": difference,
            }
        )
    else:
        show_retrieval_diff(difference)
    if exit_code and difference.differs:
        raise typer.Exit(1)


def _summaries_of_receipts(files: list[Path], *, alone: bool) -> "list[RetrievalSummary]":
    """No store is needed for these."""
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.retrieval_diff import summarise_receipt

    if len(files) != 2 or not alone:
        raise BadInput("give --receipt twice, and no question or other side beside it")
    return [summarise_receipt(read_receipt(file)) for file in files]


def _summaries(
    question: str,
    store: str | None,
    people: tuple[Any, Any],
    scopes: tuple[tuple[Any, ...], ...],
) -> "list[RetrievalSummary]":
    """Each side with its own rights: a user who holds the store may see what either gets."""
    from docgraph.model.access import LOCAL
    from docgraph.pipeline.retrieval_diff import summarise_retrieval

    engine, sides = engine_for(store, question=question), []
    for name, (pipeline, *scope) in zip(people, scopes, strict=True):
        common = CommonOptions(None if name == LOCAL else name, store)
        options = PipelineOptions(pipeline or "documents", *scope)
        request = build_request(common, options, RequestOptions(question))
        sides.append(summarise_retrieval(engine.questions.retrieve(request)))
    return sides


def _require_two_sides(given: tuple[Sequence[object] | None, ...]) -> None:
    from docgraph.model.errors import BadInput

    if all(len(one or ()) < 2 for one in given):
        raise BadInput(
            "both sides are the same; give --as, --pipeline, --repository, --branch, --snapshot "
            "or --receipt twice"
        )


def _pair(given: Sequence[Any] | None) -> tuple[Any, Any]:
    """Given once it counts for both sides."""
    from docgraph.model.errors import BadInput

    if not given:
        return None, None
    if len(given) > 2:
        raise BadInput(f"there are two sides; {given[2]!r} is one too many")
    return given[0], given[-1]
