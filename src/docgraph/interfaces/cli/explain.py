"""docgraph explain and why: the reasons of a context's items, and of one node."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from docgraph.interfaces.cli.options import (
    CommonOptions,
    PipelineOptions,
    RequestOptions,
    build_request,
    expand_options,
    note_running_ingest,
)
from docgraph.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from docgraph.pipeline.retrieval import Retrieval


@expand_options
def explain(*, asked: RequestOptions, pipeline: PipelineOptions, common: CommonOptions) -> None:
    """Tell why each item is there.

    For every item of the context its rule, access and budget decision; then what was left out, and
    what each step did.
    """
    from docgraph.interfaces.cli.render_retrieval import show_why

    engine = common.engine(asked.question)
    result = engine.questions.retrieve(build_request(common, pipeline, asked))
    note_running_ingest(common, engine)
    if common.json:
        print_json(_reasons(result))
    else:
        show_why(result)


def _reasons(result: "Retrieval") -> dict[str, Any]:
    return {
        "question": result.context.question,
        "items": [
            {
                "id": item.id,
                "layer": item.layer,
                "number": item.number,
                "why": item.why,
                "at": item.location,
            }
            for item in result.context.items
        ],
        "omitted": result.context.omitted,
        "cut": result.plan.cut,
        "selection": result.plan.constraints.selection,
        "reason": result.context.reason,
        "trace": result.run.trace,
    }


@expand_options
def why(
    node: Annotated[
        str,
        typer.Argument(
            help="The id of a document, section, symbol or chunk; or a path.", show_default=False
        ),
    ],
    *,
    asked: RequestOptions,
    pipeline: PipelineOptions,
    common: CommonOptions,
) -> None:
    """Tell why a node is in the context, or why not.

    Follows it through every step: where it was left out, by how much, and the smallest change that
    includes it. Every change that is shown was tried.
    """
    from docgraph.interfaces.cli.render_diff import show_why_not

    engine = common.engine(asked.question)
    explanation = engine.questions.why(build_request(common, pipeline, asked), node)
    note_running_ingest(common, engine)
    if common.json:
        print_json(explanation)
    else:
        show_why_not(explanation)
