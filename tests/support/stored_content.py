"""What a SQLite store holds, read past docgraph: rows that are still in its log count."""

import sqlite3
from contextlib import closing
from pathlib import Path


def stored_content(path: Path) -> tuple[str, ...]:
    """Every statement that would make the file again: its schema, then its rows."""
    with closing(sqlite3.connect(path)) as connection:
        settings = ("application_id", "user_version")
        pragmas = [f"{name} {connection.execute(f'PRAGMA {name}').fetchone()}" for name in settings]
        return (*pragmas, *connection.iterdump())
