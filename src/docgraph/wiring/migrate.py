"""Bringing a store's tables up to date, where that is done by a command."""

from dataclasses import dataclass
from pathlib import Path

from docgraph.wiring.backends import is_postgres, need_psycopg, shown_store
from docgraph.wiring.build import open_store
from docgraph.wiring.settings import Settings


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """Migrations by name: those that were applied now, and those that still are to be."""

    store: str
    applied: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


def migrate_store(settings: Settings) -> MigrationReport:
    """A SQLite file is never changed: one of another schema is refused, as for any command."""
    place = shown_store(settings.store)
    if not is_postgres(settings.store):
        _check_file(settings)
        return MigrationReport(place)
    need_psycopg()
    from docgraph.adapters.postgres.migrate import migrate

    return MigrationReport(place, applied=tuple(one.name for one in migrate(settings.store)))


def look_for_migrations(settings: Settings) -> MigrationReport:
    """The same without changing anything."""
    place = shown_store(settings.store)
    if not is_postgres(settings.store):
        _check_file(settings)
        return MigrationReport(place)
    need_psycopg()
    from docgraph.adapters.postgres.migrate import look

    return MigrationReport(place, pending=tuple(one.name for one in look(settings.store)))


def _check_file(settings: Settings) -> None:
    if Path(settings.store).is_file():
        open_store(settings)
