"""docgraph demo: nine short notes, asked a question."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import JsonOption, engine_for
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.ingest.result import IngestResult
    from docgraph.pipeline.retrieval import Retrieval

QUESTION = "How often is a failed upload retried?"
STORE = ".docgraph/demo.db"
SOURCE = "docgraph://demo"  # wherever docgraph is installed
NOTES = Path(__file__).with_name("demo_notes")
NEXT = """
Another question:   docgraph demo "What happens when the disk is full?"
Your own documents: docgraph ingest FOLDER, then docgraph context "QUESTION\""""


def demo(
    question: Annotated[str, typer.Argument(help="Another question.")] = QUESTION,
    store: Annotated[
        str, typer.Option("--store", help="The store that the demo makes, to go on asking.")
    ] = STORE,
    json: JsonOption = False,
) -> None:
    """Ask nine short notes that come with docgraph.

    Ingests them into .docgraph/demo.db, asks a question, and shows plan, why and context.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_store import show_ingest
    from docgraph.pipeline.load import load
    from docgraph.pipeline.request import QuestionRequest
    from docgraph.wiring.backends import redacted_store

    engine = engine_for(store, must_exist=False)
    place = redacted_store(store)
    if not json:
        show_step(
            "Nine notes about an upload service go into a store.",
            f"ingest {below_here(NOTES)} --repository notes --store {place}",
        )
    result = ingest_notes(engine, progress=not json)
    found = engine.questions.retrieve(QuestionRequest(local(), load("documents"), question))
    if json:
        print_json({"ingest": result, "plan": found.plan, "context": found.context})
    else:
        show_ingest(result, brief=True)
        show_retrieval(found, f'"{question}" --store {place}')
        echo(NEXT)


def ingest_notes(engine: "Engine", *, progress: bool) -> "IngestResult":
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.progress.show import ProgressStyle, show_progress, terminal_only
    from docgraph.model.access import LOCAL_ONLY
    from docgraph.model.snapshot import SourceLocation
    from docgraph.wiring.build import open_folder

    with show_progress(terminal_only() if progress else ProgressStyle.HIDDEN) as update:
        return engine.content.ingest(
            local(),
            open_folder(NOTES, 1_000_000),
            repository="notes",
            branch="main",
            rule_for=lambda _: LOCAL_ONLY,
            location=SourceLocation(SOURCE),
            progress=update,
        )


def show_retrieval(found: "Retrieval", arguments: str) -> None:
    from docgraph.interfaces.cli.render_context import show_context
    from docgraph.interfaces.cli.render_retrieval import show_plan, show_why

    show_step("The plan: which notes are read, and how each was reached.", f"plan {arguments}")
    show_plan(found.to_saved_plan())
    show_step("Why each text is there, who may read it, its tokens.", f"explain {arguments}")
    show_why(found)
    show_step("The context: what a language model gets to read.", f"context {arguments}")
    show_context(found.context)


def show_step(caption: str, command: str) -> None:
    """What comes next, and the command that does it."""
    echo(f"\n{caption}", bold=True)
    echo(f"$ docgraph {command}")


def below_here(folder: Path) -> Path:
    """As one would type it: relative where it lies below the current folder."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
