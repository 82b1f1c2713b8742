"""The commands, gathered."""

from typing import Annotated

import typer

from docgraph import __version__
from docgraph.interfaces.cli.access import access
from docgraph.interfaces.cli.audit import audit
from docgraph.interfaces.cli.check import check
from docgraph.interfaces.cli.compare import diff, replay
from docgraph.interfaces.cli.demo import demo
from docgraph.interfaces.cli.embed import embed
from docgraph.interfaces.cli.evaluate import evaluate, expect
from docgraph.interfaces.cli.explain import explain, why
from docgraph.interfaces.cli.import_corpus import import_corpus
from docgraph.interfaces.cli.ingest import ingest
from docgraph.interfaces.cli.maintenance import doctor, migrate, prune, reindex, verify
from docgraph.interfaces.cli.output import echo
from docgraph.interfaces.cli.people import keys, principals
from docgraph.interfaces.cli.questions import ask, context, plan, run, search
from docgraph.interfaces.cli.relations import relations
from docgraph.interfaces.cli.serve import mcp, serve
from docgraph.interfaces.cli.snapshots import diff_snapshots, snapshots, status
from docgraph.interfaces.cli.watch import watch

# Plain help: rich would double the time of `docgraph --help`.
app = typer.Typer(
    name="docgraph",
    epilog="Start with: docgraph ingest PATH, then docgraph context QUESTION.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        echo(f"docgraph {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Evidence for language models out of documents and code, with a proof for every piece."""


app.command()(ingest)
app.command()(embed)
app.command()(watch)
app.command("import")(import_corpus)
for command in (
    *(ask, search, plan, run, context, explain, why, diff, replay, check),
    *(status, snapshots, diff_snapshots, prune, verify, reindex, migrate, doctor),
    *(demo, serve, mcp),
):
    app.command()(command)
app.command("why-not")(why)
app.command("eval")(evaluate)
app.command("test")(expect)
for group, name in (
    (relations, "relations"),
    (access, "access"),
    (principals, "principals"),
    (keys, "keys"),
    (audit, "audit"),
):
    app.add_typer(group, name=name)
