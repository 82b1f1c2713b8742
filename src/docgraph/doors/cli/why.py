"""docgraph why: where a node stands in a question's way, and what would let it in."""

from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    MaxTokensOption,
    OptionalQuestion,
    PipelineOption,
    RepositoryOption,
    SeedOption,
    SnapshotOption,
    StoreOption,
    asker,
    budgeted,
    engine_for,
    pipeline_named,
    print_json,
    wanted,
)


def why(
    node: Annotated[
        str,
        typer.Argument(
            help="The id of a document, section, symbol or chunk; or a path.", show_default=False
        ),
    ],
    question: OptionalQuestion = "",
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Tell why a node is in the context, or why not.

    Goes with it through every step: where it fell out, by how much, and the smallest change that
    lets it in. What is told of a change was tried.
    """
    from docgraph.doors.cli.show_why_not import show_why_not

    found = engine_for(store, question=question).why(
        asker(store, as_),
        question,
        node,
        budgeted(pipeline_named(pipeline), max_tokens),
        seeds=seed or (),
        wanted=wanted(repository, branch, snapshot),
    )
    if json:
        print_json(found)
    else:
        show_why_not(found)
