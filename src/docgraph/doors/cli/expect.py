"""docgraph test: expectations of retrieval, checked like any test suite."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.doors.cli.options import (
    JsonOption,
    PipelineOption,
    StoreOption,
    asker,
    budgeted,
    engine_for,
    pipeline_named,
    print_json,
    wanted,
)

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.evaluation.expectations import Expectation
    from docgraph.evaluation.judge import Verdict


def expect(
    questions: Annotated[
        Path, typer.Argument(help="A YAML file of questions and what each must include.")
    ],
    pipeline: PipelineOption = "documents",
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Also write the results as JUnit XML."),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Test retrieval.

    Asks every question of a file and checks what its context includes, and what it must not. Ends
    with 1 if anything is not as expected.
    """
    from docgraph.doors.cli.show_verdicts import show_verdicts
    from docgraph.evaluation.expectations import read_expectations
    from docgraph.evaluation.junit import junit as as_junit
    from docgraph.model.errors import BadInput

    expected = read_expectations(questions)
    engine = engine_for(store, question=expected[0].question)
    verdicts = tuple(judged(engine, one, pipeline, store) for one in expected)
    if junit is not None:
        try:
            junit.write_bytes(as_junit(str(questions), verdicts))
        except OSError as error:
            raise BadInput(f"{junit}: cannot be written: {error.strerror}") from error
    if json:
        print_json({"verdicts": verdicts, "good": all(verdict.good for verdict in verdicts)})
    else:
        show_verdicts(verdicts)
    if not all(verdict.good for verdict in verdicts):
        raise typer.Exit(1)


def judged(
    engine: "Engine", expected: "Expectation", pipeline: str, store: str | None
) -> "Verdict":
    from docgraph.evaluation.judge import Verdict, problems_of
    from docgraph.model.errors import DocgraphError

    began = time.perf_counter()
    try:
        found = engine.retrieve(
            asker(store, expected.as_),
            expected.question,
            budgeted(pipeline_named(expected.pipeline or pipeline), expected.max_tokens),
            wanted=wanted(expected.repository, expected.branch, expected.snapshot),
        )
        problems, tokens = problems_of(expected, found.context), found.context.tokens
    except DocgraphError as error:
        problems, tokens = (f"cannot be asked: {error}",), 0
    return Verdict(expected, problems, tokens, time.perf_counter() - began)
