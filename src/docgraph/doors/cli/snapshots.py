"""docgraph snapshots: what there is to ask, newest last."""

from docgraph.doors.cli.options import (
    AsOption,
    BranchOption,
    JsonOption,
    RepositoryOption,
    StoreOption,
    asker,
    engine_for,
    print_json,
)


def snapshots(
    repository: RepositoryOption = None,
    branch: BranchOption = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List the snapshots that you can ask.

    Each with its time, the commit it was made of, and how many documents you see in it.
    """
    from docgraph.doors.cli.show_store import show_snapshots

    found = tuple(
        info
        for info in engine_for(store).snapshots(asker(store, as_))
        if repository in (None, info.name.repository) and branch in (None, info.name.branch)
    )
    if json:
        print_json({"snapshots": found})
    else:
        show_snapshots(found)
