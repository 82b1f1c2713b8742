"""docgraph eval: flat against planned retrieval on questions with known answers."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    CommonOptions,
    JsonOption,
    PipelineOption,
    PipelineOptions,
    RequestOptions,
    StoreOption,
    build_request,
    current_settings,
    engine_for,
    load_pipeline,
)
from docgraph.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.evaluation.expectations import Expectation, Verdict


def evaluate(
    directory: Annotated[
        Path, typer.Argument(help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    pipeline: PipelineOption = "documents",
    limit: Annotated[
        int | None, typer.Option("--limit", help="Ask only the first so many questions.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", help="Keep the store here, and use it again next time."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure flat and planned retrieval.

    Side by side, on a folder of judged questions. Ingests into a temporary store; with --store the
    store is kept and used again.
    """
    from docgraph.evaluation.run import evaluate as measure
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.progress import progress_bar
    from docgraph.interfaces.cli.render_retrieval import show_measures

    with progress_bar(shown=sys.stderr.isatty()) as progress:
        found = measure(
            directory,
            load_pipeline(pipeline, store),
            current_settings(store),
            local,
            keep=store,
            limit=limit,
            progress=progress,
        )
    if json:
        print_json(found)
    else:
        show_measures(found)


# docgraph test: expectations of retrieval, checked like any test suite.


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
    from docgraph.evaluation.expectations import read_expectations
    from docgraph.evaluation.expectations import write_junit as as_junit
    from docgraph.interfaces.cli.render_diff import show_verdicts
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
        print_json({"verdicts": verdicts, "good": all(verdict.passed for verdict in verdicts)})
    else:
        show_verdicts(verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)


def judged(
    engine: "Engine", expected: "Expectation", pipeline: str, store: str | None
) -> "Verdict":
    from docgraph.evaluation.expectations import Verdict, find_problems
    from docgraph.model.errors import DocgraphError

    began = time.perf_counter()
    try:
        scope = (expected.repository, expected.branch, expected.snapshot)
        request = build_request(
            CommonOptions(expected.as_, store),
            PipelineOptions(expected.pipeline or pipeline, *scope),
            RequestOptions(expected.question, max_tokens=expected.max_tokens),
        )
        context = engine.questions.retrieve(request).context
        problems, tokens = find_problems(expected, context), context.tokens
    except DocgraphError as error:
        problems, tokens = (f"cannot be asked: {error}",), 0
    return Verdict(expected, problems, tokens, time.perf_counter() - began)
