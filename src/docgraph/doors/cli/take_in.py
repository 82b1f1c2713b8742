"""Taking a source in, as every command that writes a snapshot does it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.ingest.result import IngestResult
    from docgraph.model.access import AccessRule
    from docgraph.model.edge import Relationship
    from docgraph.ports.source import Source
    from docgraph.ports.writes import Origin


def access_rule(reader: list[str] | None, label: list[str] | None, level: int) -> "AccessRule":
    from docgraph.doors.login import local
    from docgraph.model.access import LOCAL, AccessRule

    return AccessRule(
        tenant=local().tenant,
        readers=frozenset(reader or [LOCAL]),
        labels=frozenset(label or ()),
        level=level,
    )


def take_in(
    engine: "Engine",
    source: "Source",
    *,
    repository: str,
    branch: str,
    rule: "AccessRule",
    without: list[str] | None,
    given: "Sequence[Relationship]" = (),
    origin: "Origin | None" = None,
    silent: bool,
) -> "IngestResult":
    """With a bar on standard error, unless it is to be silent or nobody watches."""
    from docgraph.doors.cli.progress import progress_bar
    from docgraph.doors.login import local

    with progress_bar(shown=not silent and sys.stderr.isatty()) as progress:
        return engine.ingest(
            local(),
            source,
            repository=repository,
            branch=branch,
            rule_for=lambda _: rule,
            without=tuple(without or ()),
            given=given,
            origin=origin,
            progress=progress,
        )


def note_if_unreadable(rule: "AccessRule") -> None:
    from docgraph.doors.login import local

    if not local().may_read(rule):
        typer.echo("note: by these rules you cannot read what you took in", err=True)
