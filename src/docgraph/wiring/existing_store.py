"""Whether a store can be opened as its setting says, before anything is."""

from pathlib import Path

from docgraph.model.errors import BadInput
from docgraph.wiring.settings import Settings
from docgraph.wiring.store_address import is_postgres, shown_store


def well_named(settings: Settings) -> Settings:
    if "://" in settings.store and not is_postgres(settings.store):
        raise BadInput(
            f"{shown_store(settings.store)}: a store is the path of a SQLite file, "
            "or an address that begins with postgresql://"
        )
    return settings


def existing(settings: Settings) -> Settings:
    """Asking a store that nobody made is an error, not a new file."""
    well_named(settings)
    if not is_postgres(settings.store) and not Path(settings.store).is_file():
        raise BadInput(
            f"there is no store at {settings.store}; make one with: docgraph ingest PATH"
        )
    return settings
