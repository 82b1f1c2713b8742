"""Every read of every stage starts from the views of visible.sql: nothing else names a table."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from docgraph.adapters.sql.database import load_queries
from docgraph.adapters.sqlite.database import SQLITE
from tests.support.query_names import Use, uses
from tests.support.raw_reads import ALLOWED, TABLES, VIEWS, Compiler, compiler
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

# Any other module of the store reads for someone who asks, and is walked.
NOT_FOR_READERS = MappingProxyType(
    {
        "sql.access_store": "tells administrators every rule, and nothing of what documents say",
        "sql.access_writer": "writes a snapshot",
        "sql.audit_rows": "another file",
        "sql.document_writer": "writes a snapshot",
        "sql.relation_writer": "writes a snapshot",
        "sql.server_rows": "another file",
        "indexes.postings": "writes a snapshot",
        "sql.pending_snapshot": "writes a snapshot",
        "sql.index_changes": "writes to an external index",
        "sql.index_outbox": "writes to an external index",
        "sql.prune": "removes snapshots",
        "sql.repository_access": "computes access rules",
        "indexes.segment_writer": "writes a snapshot",
        "sql.verify": "looks at everything and tells counts, to those who hold the file",
        "sql.snapshot_writer": "writes a snapshot",
        "sqlite.server_tables": "another file",
        "sqlite.connection": "makes the schema",
        "sqlite.side_files": "another file",
        "sqlite.vectors": "writes a snapshot",
    }
)
# They open readers and writers, and hand neither to the other.
OPENERS = ["sqlite.backend", "sqlite.store"]
# Queries over views that cannot filter, and what does it for them.
MASKED_BY = {
    "passage_vectors": "ReaderView masks chunks",
    "postings_of_terms": "ReaderView masks chunks",
    "segment_arrays": "ReaderView masks documents and chunks",
    "segment_columns": "ReaderView masks documents and chunks",
    "segments_of_branches": "numbers of segments alone",
}
# All that readers take of .sql files. One of them takes what the others ask for by name.
TAKEN = {
    ("sql.database", "load_queries", "file"),
    ("sql.database", "load_queries", "'overrides.sql'"),
    ("sql.database", "load_queries", normalised_code("f'queries/{file}'")),
    ("sql.database", "named_queries", "file"),
    ("sqlite.database", "__init__", "file"),
    ("sqlite.database", "queries", "file"),
    ("sqlite.reader_pool", "__init__", "'visible.sql'"),
    ("sqlite.store", "_reading", "'state.sql'"),
    ("sqlite.store", "open_session", "'reads.sql'"),
    ("sqlite.store", "open_session", "'state.sql'"),
    ("sqlite.store", "verify", "'state.sql'"),
}
# All that they run and do not write out: named queries, the views, and a pragma.
RUN = {
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


def written(reader: Module) -> Iterator[Statement]:
    """SQL in its own text."""
    for place, text in reader.texts():
        if VERB.match(text):
            yield Statement(place, text)


def named(files: Iterable[str]) -> Iterator[Statement]:
    """As SQLite is asked them: translated, or overridden."""
    for file in sorted(files):
        for name, text in load_queries(SQLITE, file).items():
            yield Statement((file, name), text)


def asked(found: Iterable[Use]) -> Iterator[Statement]:
    """SQL that modules run by its name; none, if there is none of that name."""
    known = {statement.place: statement.text for statement in named(READ_FILES)}
    for use in found:
        yield Statement(use.place, known.get((use.file, use.query), ""))


def wrong(statement: Statement, compiling: Compiler) -> str:
    """What is wrong with a reader's statement; nothing, if it is right."""
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
# The views, and what stands in place of queries of the other files.
NO_TOPICS = {"visible.sql", "overrides.sql"}
READ_FILES = frozenset().union(*(reader.files() for reader in READERS)) - NO_TOPICS


@pytest.fixture(scope="module")
def compiling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with compiler(tmp_path_factory.mktemp("empty") / "store.db") as found:
        yield found


def test_no_read_names_a_raw_table(compiling: Compiler) -> None:
    found = [
        *(statement for reader in READERS for statement in written(reader)),
        *(statement for reader in READERS for statement in asked(uses(reader))),
        *named(READ_FILES - {"state.sql"}),
    ]
    assert {s.place for s in found} >= {*ALLOWED, ("reads.sql", "text_of_document")}
    assert [(*s.place, told) for s in found if (told := wrong(s, compiling))] == []


def test_raw_rows_are_read_in_one_place() -> None:
    found = [use for module in MODULES.values() for use in uses(module) if use.file == "state.sql"]
    assert {use.place for use in found} == ALLOWED.keys()
    assert not load_queries(SQLITE, "state.sql").keys() & load_queries(SQLITE, "reads.sql")


def test_all_that_readers_run_is_walked() -> None:
    assert {told for reader in READERS for told in reader.unwalked()} == RUN
    assert {told for reader in READERS for told in reader.takes()} == TAKEN


def test_readers_have_files_of_their_own_and_import_no_writer() -> None:
    """Whoever verifies looks through a reader's eyes too."""
    others = {name: MODULES[name].files() for name in NOT_FOR_READERS}
    assert {"reads.sql", "state.sql"} == READ_FILES
    assert {"writes.sql", "schema.sql"} <= frozenset().union(*others.values())
    shared = {name: files & READ_FILES for name, files in others.items() if files & READ_FILES}
    assert shared == {"sql.verify": {"reads.sql"}}
    writers = NOT_FOR_READERS.keys() - {"sqlite.connection"}
    assert [r.name for r in READERS if r.neighbours() & writers] == OPENERS


def test_what_stores_share_knows_none_of_them() -> None:
    known = {name for found in modules(*SHARED).values() for name in found.neighbours()}
    assert {name.partition(".")[0] for name in known} == set(SHARED)


def test_nothing_but_the_store_speaks_to_sqlite() -> None:
    """Others may ask for its version."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent != folder("sqlite"):
            for _, part in parts(module(path).tree):
                assert not (isinstance(part, ast.ImportFrom) and part.module == "sqlite3"), path
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "sqlite3":
                    assert part.attr.startswith("sqlite_version"), path


def test_views_that_hide_nothing_are_read_where_others_do() -> None:
    found = {s.place[1] for s in named(READ_FILES) if re.search(r"\bmasked_", s.text)}
    assert found == MASKED_BY.keys()


def test_the_views_are_all_that_a_reader_has(compiling: Compiler) -> None:
    """Besides the tables: nobody has made a view of their own."""
    assert compiling.views() == VIEWS
    assert len(TABLES) > 10
    assert compiling.tables() == TABLES


# A walk that finds nothing proves nothing: each of these is found.


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM contents",
        "select count(*) from documents",
        "SELECT id FROM main.documents",
        'SELECT count(*) FROM "main" . documents',
        "SELECT n.id FROM visible_nodes AS n JOIN documents AS d ON d.ordinal = n.document",
        "SELECT n.id FROM visible_nodes AS n, documents AS d",
        "SELECT 1 FROM visible_nodes WHERE document IN (SELECT ordinal FROM documents)",
        "SELECT (SELECT count(*) FROM claims) FROM visible_nodes WHERE id = :id",
        "SELECT id FROM visible_documents UNION SELECT id FROM documents",
        "SELECT * FROM (SELECT id FROM documents) AS visible_documents",
        "SELECT id FROM visible_nodes ORDER BY (SELECT max(born) FROM documents WHERE path = ?)",
        "WITH visible_documents AS (SELECT * FROM documents) SELECT * FROM visible_documents",
        "SELECT (WITH visible_texts AS (SELECT * FROM contents) SELECT text FROM visible_texts)",
        "SELECT * FROM (WITH found AS (SELECT * FROM contents) SELECT * FROM found)",
        "INSERT INTO meta VALUES ('seen', 1)",
        "CREATE TEMP VIEW mine AS SELECT * FROM documents",
    ],
)
def test_a_raw_read_is_found_wherever_it_stands(compiling: Compiler, sql: str) -> None:
    planted = Module("sql.texts", ast.parse(f"def read():\n    connection.execute({sql!r})\n"))
    (found,) = written(planted)
    assert found.place == ("sql.texts", "read")
    assert wrong(found, compiling)


def test_only_the_one_place_may_read_tables(compiling: Compiler) -> None:
    for place, tables in ALLOWED.items():
        for table in TABLES:
            told = wrong(Statement(place, f"SELECT * FROM {table}"), compiling)
            assert told == ("" if table in tables else f"names {table}")
            assert wrong(
                Statement(("indexes.visible_rows", place[1]), f"SELECT * FROM {table}"), compiling
            )


@pytest.mark.parametrize(
    ("query", "raw"),
    [("lives", "names branches, document_access, documents"), ("no_such_query", "does not select")],
)
def test_a_raw_query_is_found_with_whoever_runs_it(
    compiling: Compiler, query: str, raw: str
) -> None:
    planted = f"def read():\n    database.queries('state.sql').rows({query!r})\n"
    (found,) = asked(uses(Module("sql.texts", ast.parse(planted))))
    assert found.place == ("sql.texts", "read")
    assert wrong(found, compiling) == raw


@pytest.mark.parametrize(
    "sql",
    ["f'SELECT * FROM {table}'", "'SELECT * FROM ' + table", "text", "_OTHER['nodes']"],
)
def test_what_cannot_be_walked_is_found(sql: str) -> None:
    planted = Module("sql.texts", ast.parse(f"def read():\n    cursor.executemany({sql}, [])\n"))
    assert list(planted.unwalked()) == [("sql.texts", "read", normalised_code(sql))]


@pytest.mark.parametrize(
    "taking",
    [
        "database.queries('writes.sql')",
        "self._database.queries(file)",
        "SqliteQueries(connection, 'writes.sql')",
        "load_queries(SQLITE, 'writes.sql')",
        "named_queries(PACKAGE, 'writes.sql')",
        "script(PACKAGE, file)",
    ],
)
def test_a_reader_that_helps_itself_to_a_file_is_found(taking: str) -> None:
    planted = Module("sql.texts", ast.parse(f"def read():\n    return {taking}\n"))
    ((*place, _),) = planted.takes()
    assert place == ["sql.texts", "read"]
    assert not TAKEN & set(planted.takes())


def test_a_reader_that_borrows_from_a_writer_is_found() -> None:
    planted = Module(
        "sql.texts",
        ast.parse(
            f"from {ADAPTERS}.sql import prune\n"
            f"from {ADAPTERS}.sql.snapshot_writer import SqlSnapshotWriter\n"
            f"import {ADAPTERS}.sqlite.vectors\n"
            "_SQL = named_queries(PACKAGE, 'writes.sql')\n"
        ),
    )
    assert planted.files() == {"writes.sql"}
    assert planted.neighbours() >= {"sql.prune", "sql.snapshot_writer", "sqlite.vectors"}
