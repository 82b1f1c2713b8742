"""docgraph ingest: a folder or a git repository becomes a snapshot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.embed import embed_detached, stopped_by_user
from docgraph.interfaces.cli.options import (
    IngestOptions,
    JsonOption,
    MaxBytesOption,
    QuietOption,
    RepositoryNameOption,
    StoreOption,
    administration_for,
    current_settings,
    engine_for,
    expand_options,
)
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.engine.content import EmbeddingExtent
    from docgraph.ingest.progress import ReportProgress
    from docgraph.ingest.result import IngestResult
    from docgraph.interfaces.inputs import AccessOptions
    from docgraph.model.edge import Relationship
    from docgraph.model.snapshot import SourceLocation
    from docgraph.ports.source import Source
    from docgraph.ports.writes import SourceRevision


# Ingesting a source, as every command that writes a snapshot does it.


def access_from(options: IngestOptions) -> "AccessOptions":
    from docgraph.interfaces.inputs import access_options
    from docgraph.model.access import LOCAL

    return access_options(LOCAL, options.reader or (), options.label or (), options.level)


def ingest_source(
    engine: "Engine",
    source: "Source",
    *,
    repository: str,
    branch: str,
    access: "AccessOptions",
    without: list[str] | None,
    given: "Sequence[Relationship]" = (),
    origin: "SourceRevision | None" = None,
    location: "SourceLocation",
    progress: "ReportProgress",
    embed: "EmbeddingExtent" = "all",
) -> "IngestResult":
    from docgraph.interfaces.auth.principals import local
    from docgraph.model.access import LOCAL_ONLY

    rule = access.rule
    return engine.content.ingest(
        local(),
        source,
        repository=repository,
        branch=branch,
        rule_for=None if rule is None else lambda _: rule,
        restriction=access.restriction,
        otherwise=LOCAL_ONLY,
        without=tuple(without or ()),
        given=given,
        origin=origin,
        location=location,
        progress=progress,
        embed=embed,
    )


def note_if_unreadable(store: str | None, repository: str, branch: str) -> None:
    from docgraph.interfaces.auth.principals import local

    me = local()
    found = administration_for(store).rules(me, repository, branch)
    hidden = [one for one in found if not me.may_read(one.rule)]
    if hidden:
        many, of = sum(one.documents for one in hidden), sum(one.documents for one in found)
        echo(
            f"note: you are {me.id}, and cannot read {many} of {of} documents; "
            f"`docgraph access explain {repository}:{hidden[0].example}` says why",
            err=True,
        )


@expand_options
def ingest(
    path: Annotated[
        str,
        typer.Argument(
            help="A folder, a single file, a git repository, or an address that a plug-in reads.",
            show_default=False,
        ),
    ],
    repository: RepositoryNameOption = None,
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            "-b",
            help="The branch to write. Default: that of --ref, else main.",
            show_default=False,
        ),
    ] = None,
    ref: Annotated[
        str | None,
        typer.Option(
            "--ref",
            metavar="REF",
            help="Read this branch, tag or commit of a git repository, not its work tree.",
            show_default=False,
        ),
    ] = None,
    *,
    options: IngestOptions,
    max_bytes: MaxBytesOption = 10_000_000,
    no_embeddings: Annotated[
        bool,
        typer.Option("--no-embeddings", help="End when questions can be asked; embed nothing."),
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave embedding to a process in the background.")
    ] = False,
    quiet: QuietOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a folder or a commit in, as a new snapshot.

    Only what changed is parsed and embedded; what is gone from the source is gone from the
    snapshot. Readers see the old snapshot until everything is read; from then on questions are
    answered, and vectors follow as further snapshots. A branch is filled from one source;
    `docgraph access set-source` names another.
    """
    from docgraph.interfaces.cli.progress.show import choose_style, show_progress
    from docgraph.model.embedding_state import COMPLETE
    from docgraph.model.snapshot import SnapshotName

    if no_embeddings and detach:
        raise typer.BadParameter("--no-embeddings and --detach exclude each other")
    published: list[SnapshotName] = []
    with (
        stopped_by_user(lambda: engine_for(store), published),
        show_progress(choose_style(quiet=quiet, json=json)) as progress,
    ):
        # Imported while something is shown already.
        from docgraph.interfaces.auth.principals import local
        from docgraph.ports.source import SourceOptions
        from docgraph.wiring.sources import open_source, source_location

        source = SourceOptions(repository, branch, ref, max_bytes)
        with open_source(path, source, current_settings(store).plugins) as opened:
            engine = engine_for(store, must_exist=False)
            result = ingest_source(
                engine,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                access=access_from(options),
                without=options.without,
                origin=opened.origin,
                location=source_location(path, opened.origin.ref),
                progress=progress,
                embed="none" if no_embeddings else "few",
            )
        place = SnapshotName(opened.repository, opened.branch, 0)
        published.append(place)
        is_rest = result.embeddings.name != COMPLETE and not no_embeddings
        process = embed_detached(place, store) if is_rest and detach else None
        if is_rest and not detach:
            done = engine.content.embed(local(), place.repository, place.branch, progress)
            result = result.with_embeddings(done)
    note_if_unreadable(store, opened.repository, opened.branch)
    if json:
        print_json(result)
    else:
        from docgraph.interfaces.cli.render_store import show_ingest

        show_ingest(result, brief=quiet)
        if process is not None:
            echo(f"embedding goes on in process {process}; `docgraph status` says how far it is")
