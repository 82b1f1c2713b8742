"""docgraph snapshots: what there is to ask, newest last."""

from docgraph.doors.cli.options import (
    BranchOption,
    JsonOption,
    RepositoryOption,
    StoreOption,
    engine_for,
    print_json,
)


def snapshots(
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the snapshots that you can ask.

    Each with its time, the commit it was made of, and how many documents you see in it.
    """
    from docgraph.doors.cli.show_store import show_snapshots
    from docgraph.doors.login import local

    found = tuple(
        info
        for info in engine_for(store).snapshots(local())
        if repository in (None, info.name.repository) and branch in (None, info.name.branch)
    )
    if json:
        print_json({"snapshots": found})
    else:
        show_snapshots(found)
