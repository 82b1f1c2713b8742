"""docgraph status: what can be seen in the store."""

from docgraph.doors.cli.options import JsonOption, StoreOption, engine_for, print_json


def status(store: StoreOption = None, json: JsonOption = False) -> None:
    """Show what you can ask.

    The newest snapshot of every repository, and how many nodes and chunks they hold.
    """
    from docgraph.doors.cli.show_store import show_status
    from docgraph.doors.login import local

    found = engine_for(store).status(local())
    if json:
        print_json(found)
    else:
        show_status(found)
