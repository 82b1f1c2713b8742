"""docgraph eval: flat against planned retrieval on questions with known answers."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

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
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docgraph.engine import Engine
    from docgraph.evaluation.expectations import Expectation, Verdict
    from docgraph.ports.source import SourceProblem


def evaluate(
    directory: Annotated[
        Path, typer.Argument(help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    pipeline: PipelineOption = "documents",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Ask only the first so many questions.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", help="Keep the store here, and use it again next time."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure flat and planned retrieval.

    Side by side, on a folder of judged questions, which are checked first: one that cannot be
    evaluated is reported and left out. Ingests into a temporary store; with --store the store is
    kept and used again.
    """
    from docgraph.evaluation.dataset import read_dataset
    from docgraph.evaluation.run import evaluate as measure
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.progress.show import show_progress, terminal_only
    from docgraph.interfaces.cli.render_retrieval import show_measures

    steps, settings = load_pipeline(pipeline, store), current_settings(store)
    dataset = read_dataset(directory, limit)
    show_left_out(dataset.problems)
    with show_progress(terminal_only()) as progress:
        found = measure(dataset, steps, settings, local, keep=store, progress=progress)
    show_left_out(found["problems"][len(dataset.problems) :])
    if json:
        print_json(found)
    else:
        show_measures(found)


def show_left_out(problems: "Sequence[SourceProblem]") -> None:
    from docgraph.evaluation.dataset import list_problems

    for line in list_problems(problems):
        echo(f"left out: {line}", err=True)


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

    expected = read_expectations(questions)
    if junit is not None:
        write_file(junit, b"", "ab")  # an error now, not after every question
    engine = engine_for(store, question=expected[0].question)
    verdicts = tuple(judged(engine, one, pipeline, store) for one in expected)
    if junit is not None:
        write_file(junit, as_junit(str(questions), verdicts), "wb")
    if json:
        print_json({"verdicts": verdicts, "good": all(verdict.passed for verdict in verdicts)})
    else:
        show_verdicts(verdicts)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)


def write_file(file: Path, data: bytes, mode: Literal["ab", "wb"]) -> None:
    from docgraph.model.errors import BadInput

    try:
        with file.open(mode) as opened:
            opened.write(data)
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error


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
