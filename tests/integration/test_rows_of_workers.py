"""The number of processes that parse decides about no stored row, and about no id."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import docgraph
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine.audit_trail import AuditTrail
from docgraph.engine.content import ContentService
from docgraph.ingest.parse_file import FileParser
from docgraph.ingest.registries import SHIPPED, Registries
from docgraph.ingest.workers.limits import ParserLimits
from docgraph.ingest.workers.pool import ParserPool
from docgraph.interfaces.auth.principals import local
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.build import open_folder
from tests.support.memory_audit import MemoryAudit

CORPUS = Path(__file__).parents[1] / "golden" / "corpus"
SOURCE = Path(docgraph.__file__).parent
RANDOM = {"change_counts": {"tokens"}}  # drawn anew by every change


def load_shipped() -> Registries:
    return SHIPPED


@contextmanager
def parser_of(workers: int) -> Iterator[FileParser | None]:
    """0 parses in this process."""
    if not workers:
        yield None
        return
    with ParserPool(load_shipped, ParserLimits(), workers) as pool:
        yield pool


def ingest(file: Path, workers: int) -> dict[str, list[tuple[Any, ...]]]:
    store = SqliteStore(file, now=lambda: "now")

    def open_parser() -> AbstractContextManager[FileParser | None]:
        return parser_of(workers)

    content = ContentService(store, AuditTrail(MemoryAudit()), HashedWords, open_parser=open_parser)
    for name, folder in (("corpus", CORPUS), ("source", SOURCE)):
        content.ingest(local(), open_folder(folder, 10_000_000), repository=name, branch="main")
    return rows_of(file)


def rows_of(file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Of every table, in the order in which they are stored."""
    with closing(sqlite3.connect(file)) as raw:
        tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        rows = {}
        for (name,) in tables.fetchall():
            columns = [
                column
                for _, column, *_ in raw.execute(f"PRAGMA table_info({name})")
                if column not in RANDOM.get(name, ())
            ]
            quoted = ", ".join(f'"{column}"' for column in columns)
            rows[name] = raw.execute(f"SELECT {quoted} FROM {name}").fetchall()
    return rows


@pytest.mark.requirement(7)
def test_rows_and_their_ids_are_the_same_with_any_number_of_workers(tmp_path: Path) -> None:
    own, one, two = (ingest(tmp_path / f"{workers}.db", workers) for workers in (0, 1, 2))
    assert len(own["documents"]) > 400
    assert len(own["node_references"]) > 10_000
    for table, rows in own.items():
        for other in (one, two):
            assert other[table] == rows, f"{table} differs"
    assert own.keys() == one.keys() == two.keys()
