"""Taking a source in, as every command that writes a snapshot does it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from docgraph.doors.cli.options import administration_for

if TYPE_CHECKING:
    from docgraph.doors.readers import Told
    from docgraph.engine import Engine
    from docgraph.ingest.result import IngestResult
    from docgraph.model.edge import Relationship
    from docgraph.ports.source import Source
    from docgraph.ports.writes import Origin


def told(reader: list[str] | None, label: list[str] | None, level: int) -> "Told":
    from docgraph.doors.readers import told_readers
    from docgraph.model.access import LOCAL

    return told_readers(LOCAL, reader or (), label or (), level)


def take_in(
    engine: "Engine",
    source: "Source",
    *,
    repository: str,
    branch: str,
    told: "Told",
    without: list[str] | None,
    given: "Sequence[Relationship]" = (),
    origin: "Origin | None" = None,
    silent: bool,
) -> "IngestResult":
    """With a bar on standard error, unless it is to be silent or nobody watches."""
    from docgraph.doors.cli.progress import progress_bar
    from docgraph.doors.login.principals import local
    from docgraph.model.access import LOCAL_ONLY

    rule = told.rule
    with progress_bar(shown=not silent and sys.stderr.isatty()) as progress:
        return engine.ingest(
            local(),
            source,
            repository=repository,
            branch=branch,
            rule_for=None if rule is None else lambda _: rule,
            narrowed_by=told.narrowed_by,
            otherwise=LOCAL_ONLY,
            without=tuple(without or ()),
            given=given,
            origin=origin,
            progress=progress,
        )


def note_if_unreadable(store: str | None, repository: str, branch: str) -> None:
    from docgraph.doors.login.principals import local

    me = local()
    found = administration_for(store).rules(me, repository, branch)
    hidden = [one for one in found if not me.may_read(one.rule)]
    if hidden:
        many, of = sum(one.documents for one in hidden), sum(one.documents for one in found)
        typer.echo(
            f"note: you are {me.id}, and cannot read {many} of {of} documents; "
            f"`docgraph access explain {repository}:{hidden[0].example}` says why",
            err=True,
        )
