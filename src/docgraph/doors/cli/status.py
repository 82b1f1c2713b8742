"""docgraph status: what can be seen in the store."""

from docgraph.doors.cli.options import (
    AsOption,
    JsonOption,
    StoreOption,
    asker,
    engine_for,
    print_json,
)


def status(as_: AsOption = None, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show what you can ask.

    The newest snapshot of every repository, and how many nodes and chunks they hold.
    """
    from docgraph.doors.cli.show_store import show_status

    found = engine_for(store).status(asker(store, as_))
    if json:
        print_json(found)
    else:
        show_status(found)
