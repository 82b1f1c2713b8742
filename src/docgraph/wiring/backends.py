"""What a store's setting names, and how it may be printed: an address can hold a password."""

from importlib import import_module
from pathlib import Path

from docgraph.model.errors import BadInput, StoreError
from docgraph.wiring.settings import Settings


def is_postgres(store: str) -> bool:
    """An address, and not the path of a SQLite file."""
    from docgraph.adapters.postgres.address import is_address

    return is_address(store)


def shown_store(store: str) -> str:
    """A path as it stands; an address without its password."""
    if is_postgres(store):
        from docgraph.adapters.postgres.address import redacted

        return redacted(store)
    scheme, found, _ = store.partition("://")
    return f"{scheme}://…" if found else store


def need_psycopg() -> None:
    """Before anything of the Postgres adapter is imported."""
    try:
        import_module("psycopg")
        import_module("psycopg_pool")
    except ImportError as error:
        raise StoreError(
            "a Postgres store needs psycopg; install it with: pip install 'docgraph[postgres]'"
        ) from error


# Whether a store can be opened as its setting says, before anything is.


def check_store_url(settings: Settings) -> Settings:
    if "://" in settings.store and not is_postgres(settings.store):
        raise BadInput(
            f"{shown_store(settings.store)}: a store is the path of a SQLite file, "
            "or an address that begins with postgresql://"
        )
    return settings


def require_store(settings: Settings) -> Settings:
    """Asking a store that nobody made is an error, not a new file."""
    check_store_url(settings)
    if not is_postgres(settings.store) and not Path(settings.store).is_file():
        raise BadInput(
            f"there is no store at {settings.store}; make one with: docgraph ingest PATH"
        )
    return settings
