"""What a store's setting names, and how it may be printed: an address can hold a password."""

from importlib import import_module

from docgraph.model.errors import StoreError


def is_postgres(store: str) -> bool:
    """An address, and not the path of a SQLite file."""
    from docgraph.adapters.postgres.address import is_address

    return is_address(store)


def shown_store(store: str) -> str:
    """A path as it stands; an address without its password."""
    if is_postgres(store):
        from docgraph.adapters.postgres.address import shown

        return shown(store)
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
