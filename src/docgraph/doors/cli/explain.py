"""docgraph explain: why each item of a context is there."""

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
    from docgraph.doors.cli.show import show_why

    found = engine_for(store, question=question).retrieve(
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
