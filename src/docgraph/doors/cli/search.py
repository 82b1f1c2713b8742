"""docgraph search: the seeds of a question."""

from docgraph.doors.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    PipelineOption,
    QuestionArgument,
    RepositoryOption,
    SnapshotOption,
    StoreOption,
    asker,
    engine_for,
    pipeline_named,
    print_json,
    wanted,
)


def search(
    question: QuestionArgument,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Find seeds: ids and scores, never text."""
    from docgraph.doors.cli.show_seeds import show_seeds
    from docgraph.model.seeds import Seeds

    found = engine_for(store, question=question).retrieve(
        asker(store, as_),
        question,
        pipeline_named(pipeline).up_to(Seeds),
        wanted=wanted(repository, branch, snapshot),
    )
    if json:
        print_json({"seeds": found.seeds, "scope": found.scope.snapshots})
    else:
        show_seeds(found.seeds)
