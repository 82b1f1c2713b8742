"""docgraph access: who may read what, why, and changes with immediate effect."""

from typing import Annotated

import typer

from docgraph.interfaces.cli.options import JsonOption, StoreOption, administration_for
from docgraph.interfaces.cli.output import echo, print_json

access = typer.Typer(
    help="Show, explain and change who may read what.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Path = Annotated[str, typer.Argument(help="A document's path or id.", show_default=False)]
Paths = Annotated[
    list[str], typer.Argument(help="Paths of documents, as ids show them.", show_default=False)
]
OptionalRepository = Annotated[
    str | None,
    typer.Option("--repository", "-r", help="Of this repository only.", show_default=False),
]
Repository = Annotated[
    str, typer.Option("--repository", "-r", help="The repository.", show_default=False)
]


@access.command("show")
def show_access(
    repository: OptionalRepository = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List every document with its rule.

    Also documents that you may not read yourself, and those that only old snapshots hold.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_access import show_rules

    found = administration_for(store).documents(local(), repository)
    if json:
        print_json({"documents": found})
    else:
        show_rules(found)


@access.command("explain")
def explain_access(
    path: Path,
    repository: OptionalRepository = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Tell who may read a document, and which line says so.

    Where several statements apply (access.yaml, front matter, options, the default branch), only
    readers admitted by all of them may read. A manual rule replaces them all.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_access import show_decision

    home, path = _split_id(path, repository)
    found = administration_for(store).explain(local(), path, home)
    if json:
        print_json({"access": found})
    else:
        show_decision(found)


@access.command("set")
def set_access(
    paths: Paths,
    repository: Repository,
    reader: Annotated[
        list[str],
        typer.Option(
            "--reader",
            metavar="GROUP",
            help="A group that may read; repeatable. `everyone` is everyone.",
            show_default=False,
        ),
    ],
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="A label that every reader must hold; repeatable."
        ),
    ] = None,
    level: Annotated[
        int, typer.Option("--level", min=0, help="The clearance that readers need.")
    ] = 0,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Set a manual rule for documents.

    It replaces what files say, on every branch, from the next question on, and stays
    when the repository is ingested again.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.model.access import AccessRule

    me = local()
    rule = AccessRule(me.tenant, frozenset(reader), frozenset(label or ()), level)
    administration_for(store).set_access(me, repository, paths, rule)
    _report("set", repository, paths, json=json)


@access.command("revoke")
def revoke_access(
    paths: Paths,
    repository: Repository,
    reader: Annotated[
        list[str] | None,
        typer.Option("--reader", metavar="GROUP", help="Only from this group; repeatable."),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take the right to read away at once.

    From the groups that are named, else from everyone. Stays when the repository is ingested again.
    """
    from docgraph.interfaces.auth.principals import local

    administration_for(store).revoke(local(), repository, paths, frozenset(reader or ()))
    _report("revoked", repository, paths, json=json)


@access.command("reset")
def reset_access(
    paths: Paths,
    repository: Repository,
    history: Annotated[
        bool,
        typer.Option("--history", help="What files say now counts for older versions too."),
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Remove manual rules.

    From the next question on, what the repository's files say counts again. Older versions of a
    document stay as closed as they were, unless you give --history.
    """
    from docgraph.interfaces.auth.principals import local

    administration_for(store).reset_access(local(), repository, paths, history=history)
    _report("reset", repository, paths, json=json)


@access.command("default-branch")
def default_branch(
    branch: Annotated[str, typer.Argument(help="The branch's name.", show_default=False)],
    repository: Repository,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Name the branch whose rules bind the others.

    What it says of a path counts on every other branch too. Until someone names one, it is the
    branch that was ingested first.
    """
    from docgraph.interfaces.auth.principals import local

    administration_for(store).set_default_branch(local(), repository, branch)
    if json:
        print_json({"repository": repository, "default_branch": branch})
    else:
        echo(f"what {branch} says counts on every branch of {repository}")


@access.command("sources")
def show_sources(
    repository: OptionalRepository = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List where each branch is filled from."""
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_access import show_branch_sources

    found = administration_for(store).sources(local(), repository)
    if json:
        print_json({"sources": found})
    else:
        show_branch_sources(found)


@access.command("set-source")
def set_source(
    path: Annotated[
        str,
        typer.Argument(
            help="The folder, file, git repository or address from which it is filled from now on.",
            show_default=False,
        ),
    ],
    repository: Repository,
    branch: Annotated[str, typer.Option("--branch", "-b", help="The branch.")] = "main",
    ref: Annotated[
        str,
        typer.Option(
            "--ref", metavar="REF", help="The branch, tag or commit of git.", show_default=False
        ),
    ] = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Fill a branch from another source.

    An ingest from another place than the one that first filled the branch is refused. After this,
    the next ingest reads the new place. Rules and snapshots stay as they are.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.wiring.sources import source_location

    source = source_location(path, ref)
    administration_for(store).set_source(local(), repository, branch, source)
    if json:
        print_json({"repository": repository, "branch": branch, "source": source})
    else:
        echo(f"{repository} {branch} is filled from {source.describe()}")


def _report(done: str, repository: str, paths: list[str], *, json: bool) -> None:
    if json:
        print_json({done: {"repository": repository, "paths": paths}})
    else:
        many = "1 path" if len(paths) == 1 else f"{len(paths)} paths"
        echo(f"{done} for {many}; it counts now")


def _split_id(path: str, repository: str | None) -> tuple[str | None, str]:
    """A path, or the id of a document."""
    from posixpath import normpath

    from docgraph.model.node import path_of, repository_of

    if repository is None and ":" in path:
        return repository_of(path), path_of(path)
    return repository, normpath(path) if path else path
