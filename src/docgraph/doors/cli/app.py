"""The commands, gathered."""

from typing import Annotated

import typer

from docgraph import __version__
from docgraph.doors.cli.access import access
from docgraph.doors.cli.ask import ask
from docgraph.doors.cli.audit import audit
from docgraph.doors.cli.check import check
from docgraph.doors.cli.context import context
from docgraph.doors.cli.demo import demo
from docgraph.doors.cli.diff import diff
from docgraph.doors.cli.diff_snapshots import diff_snapshots
from docgraph.doors.cli.doctor import doctor
from docgraph.doors.cli.evaluate import evaluate
from docgraph.doors.cli.expect import expect
from docgraph.doors.cli.explain import explain
from docgraph.doors.cli.import_corpus import import_corpus
from docgraph.doors.cli.ingest import ingest
from docgraph.doors.cli.keys import keys
from docgraph.doors.cli.mcp import mcp
from docgraph.doors.cli.migrate import migrate
from docgraph.doors.cli.plan import plan
from docgraph.doors.cli.principals import principals
from docgraph.doors.cli.prune import prune
from docgraph.doors.cli.relations import relations
from docgraph.doors.cli.replay import replay
from docgraph.doors.cli.run import run
from docgraph.doors.cli.search import search
from docgraph.doors.cli.serve import serve
from docgraph.doors.cli.snapshots import snapshots
from docgraph.doors.cli.status import status
from docgraph.doors.cli.verify import verify
from docgraph.doors.cli.why import why

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
        typer.echo(f"docgraph {__version__}")
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
app.command("import")(import_corpus)
for command in (
    *(ask, search, plan, run, context, explain, why, diff, replay, check),
    *(status, snapshots, diff_snapshots, prune, verify, migrate, doctor, demo, serve, mcp),
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
