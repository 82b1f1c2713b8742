"""docgraph plan: which documents may speak, and why."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.doors.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    OptionalQuestion,
    PipelineOption,
    ReceiptOption,
    RepositoryOption,
    SeedOption,
    SnapshotOption,
    StoreOption,
    asker,
    engine_for,
    keep_receipt,
    pipeline_named,
    wanted,
)


def plan(
    question: OptionalQuestion = "",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the plan to this file, for `docgraph run`.")
    ] = None,
    seed: SeedOption = None,
    pipeline: PipelineOption = "documents",
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    snapshot: SnapshotOption = None,
    receipt: ReceiptOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Decide which documents may speak.

    Draws the decision as a tree: seeds, and below each what its relations let in. Reads no text.
    """
    from docgraph.doors.cli.show import show_plan
    from docgraph.model.errors import BadInput
    from docgraph.model.plan import RetrievalPlan

    engine, reader = engine_for(store, question=question), asker(store, as_)
    found = engine.retrieve(
        reader,
        question,
        pipeline_named(pipeline).up_to(RetrievalPlan),
        seeds=seed or (),
        wanted=wanted(repository, branch, snapshot),
    )
    keep_receipt(receipt, found, reader, seed)
    saved = found.saved()
    if save is not None:
        try:
            save.write_text(saved.to_json(), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{save}: cannot be written: {error.strerror}") from error
    if json:
        typer.echo(saved.to_json(), nl=False)
    else:
        show_plan(saved)
        if save is not None:
            typer.echo(f"saved to {save}; execute it with: docgraph run {save}")
