"""docgraph context: what a language model would get to read."""

from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    BranchOption,
    JsonOption,
    OptionalQuestion,
    PipelineOption,
    RepositoryOption,
    SeedOption,
    SnapshotOption,
    StoreOption,
    engine_for,
    pipeline_named,
    print_json,
    wanted,
)


def context(
    question: OptionalQuestion = "",
    seed: SeedOption = None,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", help="Another token budget than the pipeline's."),
    ] = None,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Give the context of a question.

    Searches, plans, fetches and assembles: what a language model would get to read, within its
    token budget.
    """
    from docgraph.doors.cli.show import show_context
    from docgraph.doors.login import local
    from docgraph.model.errors import BadInput

    steps = pipeline_named(pipeline)
    if max_tokens is not None:
        if max_tokens < 1:
            raise BadInput("--max-tokens takes a number from 1")
        steps = steps.changed("assemble_context", max_tokens=max_tokens)
    found = engine_for(store).retrieve(
        local(), question, steps, seeds=seed or (), wanted=wanted(repository, branch, snapshot)
    )
    if json:
        print_json(
            {
                "context": found.context,
                "digest": found.context.digest,
                "plan_digest": found.plan.digest,
                "scope": found.scope.snapshots,
            }
        )
    else:
        show_context(found.context)
