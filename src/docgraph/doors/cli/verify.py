"""docgraph verify: is the store sound, and is what is gone really gone?"""

import typer

from docgraph.doors.cli.options import (
    JsonOption,
    StoreOption,
    administration_for,
    engine_for,
    print_json,
)


def verify(store: StoreOption = None, json: JsonOption = False) -> None:
    """Verify the whole store.

    Nothing dangles or lives twice, and no row, posting, vector or edge of a document that is gone
    can be seen. Prints a digest of what you see: the same tree, ingested anew, gives the same.
    """
    from docgraph.doors.cli.show_store import show_verified
    from docgraph.doors.login.principals import local

    found = administration_for(store).verify(local())
    digest = engine_for(store).content_digest(local()) if found.is_sound else None
    if json:
        print_json({"sound": found.is_sound, "digest": digest, "verified": found})
    else:
        show_verified(found, digest)
    if not found.is_sound:
        raise typer.Exit(1)
