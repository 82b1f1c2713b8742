"""docgraph explain: why each item of a context is there."""

from typing import Annotated

import typer

from docgraph.interfaces.cli.options import (
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


def explain(
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
    """Tell why each item is there.

    For every item of the context its rule, access and budget decision; then what was left out, and
    what each step did.
    """
    from docgraph.interfaces.cli.render_retrieval import show_why

    found = engine_for(store, question=question).questions.retrieve(
        asker(store, as_),
        question,
        budgeted(pipeline_named(pipeline), max_tokens),
        seeds=seed or (),
        wanted=wanted(repository, branch, snapshot),
    )
    if json:
        print_json(
            {
                "question": found.context.question,
                "items": [
                    {
                        "id": i.id,
                        "layer": i.layer,
                        "number": i.number,
                        "why": i.why,
                        "at": i.location,
                    }
                    for i in found.context.items
                ],
                "omitted": found.context.omitted,
                "cut": found.plan.cut,
                "selection": found.plan.constraints.selection,
                "reason": found.context.reason,
                "trace": found.run.trace,
            }
        )
    else:
        show_why(found)


# docgraph why: where a node stands in a question's way, and what would let it in.


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
    from docgraph.interfaces.cli.render_diff import show_why_not

    found = engine_for(store, question=question).questions.why(
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
