"""docgraph demo: docgraph's own documents, asked a question."""

from pathlib import Path
from typing import Annotated

import typer

from docgraph.interfaces.cli.options import (
    JsonOption,
    budgeted,
    engine_for,
    pipeline_named,
    print_json,
)

QUESTION = "Why can a hidden document not change what a reader gets?"
STORE = ".docgraph/demo.db"
SCREENFUL = 900  # tokens; a question of yours gets what the pipeline says


def demo(
    question: Annotated[str, typer.Argument(help="Another question.")] = QUESTION,
    store: Annotated[
        str, typer.Option("--store", help="The store that the demo makes, to go on asking.")
    ] = STORE,
    json: JsonOption = False,
) -> None:
    """Ask docgraph's own documents.

    Ingests them into .docgraph/demo.db, asks a question, and shows plan, why and context.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.progress import progress_bar
    from docgraph.interfaces.cli.render_context import show_context
    from docgraph.interfaces.cli.render_retrieval import show_plan, show_why
    from docgraph.interfaces.cli.render_store import show_ingest
    from docgraph.model.access import LOCAL_ONLY
    from docgraph.wiring.backends import shown_store
    from docgraph.wiring.build import open_folder

    engine = engine_for(store, must_exist=False)
    place = shown_store(store)
    if not json:
        typer.echo(f"$ docgraph ingest {home().name} --repository docgraph --store {place}")
    with progress_bar(shown=not json) as progress:
        result = engine.ingest(
            local(),
            open_folder(home(), 1_000_000),
            repository="docgraph",
            branch="main",
            rule_for=lambda _: LOCAL_ONLY,
            progress=progress,
        )
    found = engine.retrieve(local(), question, budgeted(pipeline_named("documents"), SCREENFUL))
    if json:
        print_json({"ingest": result, "plan": found.plan, "context": found.context})
        return
    show_ingest(result, brief=True)
    typer.echo(f'\n$ docgraph plan "{question}" --store {place}')
    show_plan(found.saved())
    budget = f"--max-tokens {SCREENFUL}"
    typer.echo(f'\n$ docgraph explain "{question}" {budget} --store {place}')
    show_why(found)
    typer.echo(f'\n$ docgraph context "{question}" {budget} --store {place}')
    show_context(found.context)
    typer.echo(f"\nAsk it something yourself: docgraph context QUESTION --store {place}")


def home() -> Path:
    """The documents beside this code; where docgraph is installed without them, the package."""
    import docgraph

    package = Path(docgraph.__file__).resolve().parent
    documents = package.parent.parent / "docs"
    return documents if documents.is_dir() else package
