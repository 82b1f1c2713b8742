"""Every read of every stage selects from the views of visible.sql, and none from a table."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from docgraph.adapters.sql.database import load_queries
from docgraph.adapters.sqlite.database import SQLITE
from tests.support.query_names import Use, uses
from tests.support.raw_reads import ALLOWED, STORED_VIEWS, TABLES, VIEWS, Compiler, compiler
from tests.support.store_modules import (
    ADAPTERS,
    SHARED,
    SOURCE,
    Module,
    Position,
    folder,
    module,
    modules,
    normalised_code,
    parts,
)

# Any other module of the store reads for a user, and its SQL is checked.
NOT_FOR_READERS = MappingProxyType(
    {
        "sql.access_store": "reads access rules for administrators, and no text",
        "sql.access_writer": "writes a snapshot",
        "sql.audit_rows": "another file",
        "sql.checksums": "computes checksums, for writers and the verification",
        "sql.document_rows": "writes a snapshot",
        "sql.document_writer": "writes a snapshot",
        "sql.embedding_writer": "writes a snapshot",
        "sql.relation_writer": "writes a snapshot",
        "sql.server_rows": "another file",
        "indexes.postings": "writes a snapshot",
        "sql.pending_snapshot": "writes a snapshot",
        "sql.index_changes": "writes to an external index",
        "sql.index_outbox": "writes to an external index",
        "sql.prune": "removes snapshots",
        "sql.repository_access": "computes access rules",
        "indexes.segment_writer": "writes a snapshot",
        "sql.stored_checksums": "checks everything and reports counts, to the owner of the file",
        "sql.verify": "checks everything and reports counts, to the owner of the file",
        "sql.snapshot_writer": "writes a snapshot",
        "sql.version_rules": "computes access rules",
        "sqlite.server_tables": "another file",
        "sqlite.connection": "makes the schema; tells the process whether there are vectors",
        "sqlite.file_checks": "compares the schema",
        "sqlite.side_files": "another file",
        "sqlite.vector_cache": "another file",
        "sqlite.vectors": "writes a snapshot",
    }
)
# They open readers and writers.
OPENERS = ["sqlite.backend", "sqlite.store"]
# Queries over views that cannot filter, and what does it for them.
MASKED_BY = {
    "postings_of_terms": "ReaderView masks chunks",
    "segment_arrays": "ReaderView masks documents and chunks",
    "segments_of_branches": "numbers of segments alone",
}
# How readers load .sql files.
LOADED = {
    ("sql.database", "load_queries", "file"),
    ("sql.database", "load_queries", "'overrides.sql'"),
    ("sql.database", "load_queries", normalised_code("f'queries/{file}'")),
    ("sql.database", "row_types", "file"),
    ("sql.database", "row_types", normalised_code("f'queries/{file}'")),
    ("sql.database", "shared_query", normalised_code("f'queries/{file}'")),
    ("sql.database", "named_queries", "file"),
    ("sql.database", "relations_view", "file"),
    ("sqlite.database", "__init__", "file"),
    ("sqlite.database", "queries", "file"),
    ("sqlite.reader_pool", "__init__", "'visible.sql'"),
    ("sqlite.store", "_reading", "'state.sql'"),
    ("sqlite.store", "open_session", "'reads.sql'"),
    ("sqlite.store", "open_session", "'state.sql'"),
}
# Statements that are not literals: named queries, the views, and a pragma.
COMPUTED = {
    ("sqlite.database", "_execute", "self._sql[query]"),
    ("sqlite.database", "many", "self._sql[query]"),
    (
        "sqlite.database",
        "durable",
        normalised_code("f\"PRAGMA synchronous = {'FULL' if on else 'NORMAL'}\""),
    ),
    ("sqlite.reader_pool", "__init__", "statement"),
}
VERB = re.compile(
    r"(?:\s|--.*\n)*(ALTER|ATTACH|CREATE|DELETE|DROP|INSERT|REPLACE|SELECT|UPDATE|VALUES|WITH)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`place` is a module and the function of it that runs this, or a file and a name in it."""

    place: Position
    text: str


def literal_statements(reader: Module) -> Iterator[Statement]:
    """SQL in its own text."""
    for place, text in reader.texts():
        if VERB.match(text):
            yield Statement(place, text)


def named_statements(files: Iterable[str]) -> Iterator[Statement]:
    """In the SQL of SQLite: translated, or overridden."""
    for file in sorted(files):
        for name, text in load_queries(SQLITE, file).items():
            yield Statement((file, name), text)


def used_statements(found: Iterable[Use]) -> Iterator[Statement]:
    """SQL that modules run by its name; empty, if no query has the name."""
    known = {statement.place: statement.text for statement in named_statements(READ_FILES)}
    for use in found:
        yield Statement(use.place, known.get((use.file, use.query), ""))


def find_problem(statement: Statement, compiling: Compiler) -> str:
    """The problem of a reader's statement, or an empty text."""
    verb = VERB.match(statement.text)
    if verb is None or verb[1].upper() != "SELECT":
        return "does not select"
    if re.search(r"\bmain\b\W*\.", statement.text):
        return "names main"
    own = re.findall(r"(\w+)\s*(?:\([^)]*\))?\s*\bAS\s*\(", statement.text, re.IGNORECASE)
    if VIEWS.intersection(own):
        return "has a view of its own"
    raw = compiling.raw_tables(statement.text) - ALLOWED.get(statement.place, frozenset())
    return f"names {', '.join(sorted(raw))}" if raw else ""


MODULES = modules(*SHARED, "sqlite")
READERS = [found for name, found in MODULES.items() if name not in NOT_FOR_READERS]
# The views, one of them in parts, and overrides of queries of other files.
NO_TOPICS = {"visible.sql", "document_relationships.sql", "overrides.sql"}
READ_FILES = frozenset().union(*(reader.files() for reader in READERS)) - NO_TOPICS


@pytest.fixture(scope="module")
def compiling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with compiler(tmp_path_factory.mktemp("empty") / "store.db") as found:
        yield found


def test_no_read_names_a_raw_table(compiling: Compiler) -> None:
    found = [
        *(statement for reader in READERS for statement in literal_statements(reader)),
        *(statement for reader in READERS for statement in used_statements(uses(reader))),
        *named_statements(READ_FILES - {"state.sql"}),
    ]
    assert {s.place for s in found} >= {*ALLOWED, ("reads.sql", "text_of_version")}
    assert [(*s.place, problem) for s in found if (problem := find_problem(s, compiling))] == []


def test_tables_are_read_in_one_module_only() -> None:
    found = [use for module in MODULES.values() for use in uses(module) if use.file == "state.sql"]
    assert {use.place for use in found} == ALLOWED.keys()
    assert not load_queries(SQLITE, "state.sql").keys() & load_queries(SQLITE, "reads.sql")


def test_every_statement_of_a_reader_is_checked() -> None:
    assert {code for reader in READERS for code in reader.unwalked()} == COMPUTED
    assert {code for reader in READERS for code in reader.takes()} == LOADED


def test_readers_have_their_own_sql_files_and_import_no_writer() -> None:
    """Only the verification uses the queries of readers, too."""
    others = {name: MODULES[name].files() for name in NOT_FOR_READERS}
    assert {"reads.sql", "state.sql"} == READ_FILES
    assert {"writes.sql", "schema.sql"} <= frozenset().union(*others.values())
    shared = {name: files & READ_FILES for name, files in others.items() if files & READ_FILES}
    assert shared == {"sql.verify": {"reads.sql", "state.sql"}}
    writers = NOT_FOR_READERS.keys() - {"sqlite.connection"}
    assert [r.name for r in READERS if r.neighbours() & writers] == OPENERS


def test_shared_modules_import_no_store() -> None:
    known = {name for found in modules(*SHARED).values() for name in found.neighbours()}
    assert {name.partition(".")[0] for name in known} == set(SHARED)


def test_only_the_sqlite_store_uses_sqlite() -> None:
    """Other modules may read its version."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent != folder("sqlite"):
            for _, part in parts(module(path).tree):
                assert not (isinstance(part, ast.ImportFrom) and part.module == "sqlite3"), path
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "sqlite3":
                    assert part.attr.startswith("sqlite_version"), path


def test_views_that_cannot_filter_are_used_by_listed_queries_only() -> None:
    found = {s.place[1] for s in named_statements(READ_FILES) if re.search(r"\bmasked_", s.text)}
    assert found == MASKED_BY.keys()


def test_there_are_no_other_views(compiling: Compiler) -> None:
    """The lists of views and tables are complete."""
    assert compiling.views() == VIEWS | STORED_VIEWS
    assert not VIEWS & STORED_VIEWS
    assert len(TABLES) > 10
    assert compiling.tables() == TABLES


# The check itself is tested: each of these must be found.


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM contents",
        "SELECT source, target FROM document_relationships",
        "SELECT count(*) FROM document_relationships",
        "SELECT n.id FROM visible_nodes AS n JOIN document_relationships AS r ON r.source = n.id",
        "select count(*) from documents",
        "SELECT id FROM main.documents",
        'SELECT count(*) FROM "main" . documents',
        "SELECT n.id FROM visible_nodes AS n JOIN documents AS d ON d.version = n.version",
        "SELECT n.id FROM visible_nodes AS n, documents AS d",
        "SELECT 1 FROM visible_nodes WHERE version IN (SELECT version FROM documents)",
        "SELECT (SELECT count(*) FROM node_references) FROM visible_nodes WHERE id = :id",
        "SELECT id FROM visible_documents UNION SELECT id FROM documents",
        "SELECT * FROM (SELECT id FROM documents) AS visible_documents",
        "SELECT id FROM visible_nodes ORDER BY (SELECT max(rank) FROM definitions WHERE key = ?)",
        "WITH visible_documents AS (SELECT * FROM documents) SELECT * FROM visible_documents",
        "SELECT (WITH visible_texts AS (SELECT * FROM contents) SELECT text FROM visible_texts)",
        "SELECT * FROM (WITH found AS (SELECT * FROM contents) SELECT * FROM found)",
        "INSERT INTO meta VALUES ('seen', 1)",
        "CREATE TEMP VIEW mine AS SELECT * FROM documents",
    ],
)
def test_a_read_of_a_table_is_found(compiling: Compiler, sql: str) -> None:
    inserted = Module("sql.texts", ast.parse(f"def read():\n    connection.execute({sql!r})\n"))
    (found,) = literal_statements(inserted)
    assert found.place == ("sql.texts", "read")
    assert find_problem(found, compiling)


def test_only_the_allowed_positions_may_read_tables(compiling: Compiler) -> None:
    for place, tables in ALLOWED.items():
        for table in TABLES:
            problem = find_problem(Statement(place, f"SELECT * FROM {table}"), compiling)
            assert problem == ("" if table in tables else f"names {table}")
            assert find_problem(
                Statement(("indexes.visible_rows", place[1]), f"SELECT * FROM {table}"), compiling
            )


@pytest.mark.parametrize(
    ("query", "raw"),
    [
        ("document_lifetimes", "names branches, documents"),
        ("no_such_query", "does not select"),
    ],
)
def test_a_query_of_a_table_is_found_where_it_is_used(
    compiling: Compiler, query: str, raw: str
) -> None:
    inserted = f"def read():\n    database.queries('state.sql').rows({query!r})\n"
    (found,) = used_statements(uses(Module("sql.texts", ast.parse(inserted))))
    assert found.place == ("sql.texts", "read")
    assert find_problem(found, compiling) == raw


@pytest.mark.parametrize(
    "sql",
    ["f'SELECT * FROM {table}'", "'SELECT * FROM ' + table", "text", "_OTHER['nodes']"],
)
def test_a_computed_statement_is_found(sql: str) -> None:
    inserted = Module("sql.texts", ast.parse(f"def read():\n    cursor.executemany({sql}, [])\n"))
    assert list(inserted.unwalked()) == [("sql.texts", "read", normalised_code(sql))]


@pytest.mark.parametrize(
    "call",
    [
        "database.queries('writes.sql')",
        "self._database.queries(file)",
        "SqliteQueries(connection, 'writes.sql')",
        "load_queries(SQLITE, 'writes.sql')",
        "named_queries(PACKAGE, 'writes.sql')",
        "script(PACKAGE, file)",
    ],
)
def test_a_reader_that_loads_another_sql_file_is_found(call: str) -> None:
    inserted = Module("sql.texts", ast.parse(f"def read():\n    return {call}\n"))
    ((*place, _),) = inserted.takes()
    assert place == ["sql.texts", "read"]
    assert not LOADED & set(inserted.takes())


def test_a_reader_that_imports_a_writer_is_found() -> None:
    inserted = Module(
        "sql.texts",
        ast.parse(
            f"from {ADAPTERS}.sql import prune\n"
            f"from {ADAPTERS}.sql.snapshot_writer import SqlSnapshotWriter\n"
            f"import {ADAPTERS}.sqlite.vectors\n"
            "_SQL = named_queries(PACKAGE, 'writes.sql')\n"
        ),
    )
    assert inserted.files() == {"writes.sql"}
    assert inserted.neighbours() >= {"sql.prune", "sql.snapshot_writer", "sqlite.vectors"}
