"""docgraph snapshots: what there is to ask, newest last."""

from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    BranchOptions,
    CommonOptions,
    expand_options,
)
from docgraph.interfaces.cli.output import print_json

if TYPE_CHECKING:
    from docgraph.model.snapshot import SnapshotInfo, SnapshotName


@expand_options
def snapshots(
    *,
    place: BranchOptions,
    common: CommonOptions,
) -> None:
    """List the snapshots that you can ask.

    Each with its time, the commit it was made of, and how many documents you see in it.
    """
    from docgraph.interfaces.cli.render_store import show_snapshots

    found = common.engine().content.snapshots(common.reader(), place.repository, place.branch)
    if common.json:
        print_json({"snapshots": found})
    else:
        show_snapshots(found)


# docgraph diff-snapshots: what changed between two snapshots.


@expand_options
def diff_snapshots(
    old: Annotated[
        str,
        typer.Argument(
            help="A number, a branch (its newest), or BRANCH@NUMBER.", show_default=False
        ),
    ],
    new: Annotated[str, typer.Argument(help="The one to compare with it.", show_default=False)],
    *,
    place: BranchOptions,
    common: CommonOptions,
) -> None:
    """Compare two snapshots of a repository.

    Shows documents added, removed and changed, and relations gained and lost, as you see them.
    """
    from docgraph.interfaces.cli.render_store import show_diff

    engine, reader = common.engine(), common.reader()
    known = engine.content.snapshots(reader, place.repository)
    sides = [named(known, written, place.branch) for written in (old, new)]
    found = engine.content.diff_snapshots(reader, sides[0], sides[1])
    if common.json:
        print_json({"old": sides[0], "new": sides[1], "diff": found})
    else:
        show_diff(found)


def named(known: "tuple[SnapshotInfo, ...]", written: str, branch: str | None) -> "SnapshotName":
    """The newest one that the words fit; which words would fit, where none does."""
    from docgraph.model.errors import BadInput, NotVisible

    repositories = sorted({info.name.repository for info in known})
    if len(repositories) > 1:
        raise BadInput(f"name one repository with --repository: {', '.join(repositories)}")
    home, _, number = written.rpartition("@")
    if not home:
        home, number = (branch or "", written) if written.isdecimal() else (written, "")
    home = home or _first(known)
    fitting = [
        info.name
        for info in known
        if info.name.branch == home and number in ("", str(info.name.snapshot))
    ]
    if not fitting:
        there = ", ".join(f"{info.name.branch}@{info.name.snapshot}" for info in known[-10:])
        raise NotVisible(f"no snapshot is called {written!r}; there are {there or 'none'}")
    return fitting[-1]


def _first(known: "tuple[SnapshotInfo, ...]") -> str:
    branches = [info.name.branch for info in known]
    return next((name for name in ("main", "master") if name in branches), "".join(branches[:1]))


# docgraph status: what can be seen in the store.


@expand_options
def status(*, common: CommonOptions) -> None:
    """Show what you can ask.

    The newest snapshot of every repository, and how many nodes and chunks they hold.
    """
    from docgraph.interfaces.cli.render_store import show_status

    found = common.engine().content.status(common.reader())
    if common.json:
        print_json(found)
    else:
        show_status(found)
