"""Every read of every stage starts from the views of visible.sql: nothing else names a table."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from tests.support.raw_reads import ALLOWED, TABLES, VIEWS, Compiler, compiler

SOURCE = Path(__file__).parent.parent.parent / "src" / "docgraph"
STORE = SOURCE / "adapters" / "sqlite"

# Any other module of the store reads for someone who asks, and is walked.
NOT_FOR_READERS = {
    "access_book": "tells administrators every rule, and nothing of what documents say",
    "access_writer": "decides rules",
    "audit": "another file",
    "audit_file": "another file",
    "connection": "makes the schema",
    "document_writer": "writes a snapshot",
    "edge_writer": "writes a snapshot",
    "postings": "writes a snapshot",
    "prune": "removes snapshots",
    "segment_writer": "writes a snapshot",
    "verify": "looks at everything and tells counts, to those who hold the file",
    "writes": "writes a snapshot",
}
# Queries over views that cannot filter, and what does it for them.
MASKED_BY = {
    "passage_vectors": "SqliteSearch masks passages",
    "postings_of_term": "SqliteSearch masks passages",
    "segment_arrays": "SqliteSearch masks passages and nodes",
    "segments_of_branches": "numbers of segments alone",
    "versions": "joined with visible documents",
}
RUNS_THE_VIEWS = ("visible", "guard")
VERB = re.compile(
    r"(?:\s|--.*\n)*(ALTER|ATTACH|CREATE|DELETE|DROP|INSERT|REPLACE|SELECT|UPDATE|VALUES|WITH)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`place` is a module and a function of it, or a file and a name in it."""

    place: tuple[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    tree: ast.Module

    def statements(self) -> Iterator[Statement]:
        """SQL in its own text."""
        for function, part in parts(self.tree):
            if (text := said(part)) is not None and VERB.match(text):
                yield Statement((self.name, function), text)

    def files(self) -> frozenset[str]:
        """The .sql files that it names."""
        found = (said(part) for _, part in parts(self.tree))
        return frozenset(text for text in found if text and re.fullmatch(r"\w+\.sql", text))

    def unwalked(self) -> Iterator[tuple[str, str]]:
        """Functions that let SQLite run what is neither a literal nor one of the named queries."""
        for function, part in parts(self.tree):
            if not (isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)):
                continue
            if part.func.attr.startswith("execute") and not walked(part.args[0]):
                yield self.name, function

    def neighbours(self) -> frozenset[str]:
        """Modules of the store that it imports."""
        found: set[str] = set()
        for _, part in parts(self.tree):
            if isinstance(part, ast.Import | ast.ImportFrom):
                package = f"{part.module}." if isinstance(part, ast.ImportFrom) else ""
                found.update((package[:-1], *(package + alias.name for alias in part.names)))
        return frozenset(n.removeprefix(f"{PACKAGE}.") for n in found if n.startswith(PACKAGE))


def parts(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Everything but docstrings, each with the function it stands in."""
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            name = child.name if isinstance(child, ast.FunctionDef) else inside
            yield name, child
            yield from parts(child, name)


def said(part: ast.AST) -> str | None:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else None


def walked(sql: ast.expr) -> bool:
    if isinstance(sql, ast.Subscript):
        return isinstance(sql.value, ast.Name) and sql.value.id == "_SQL"
    return isinstance(sql, ast.Constant)


def module(path: Path) -> Module:
    return Module(path.stem, ast.parse(path.read_text(encoding="utf-8")))


def named(files: Iterable[str]) -> Iterator[Statement]:
    for file in sorted(files):
        for name, text in named_queries(PACKAGE, file).items():
            yield Statement((file, name), text)


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


MODULES = {found.name: found for found in map(module, sorted(STORE.glob("*.py")))}
READERS = [found for name, found in MODULES.items() if name not in NOT_FOR_READERS]
READ_FILES = frozenset().union(*(reader.files() for reader in READERS)) - {"visible.sql"}


@pytest.fixture(scope="module")
def compiling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with compiler(tmp_path_factory.mktemp("empty") / "store.db") as found:
        yield found


def test_no_read_names_a_raw_table(compiling: Compiler) -> None:
    found = [*(s for reader in READERS for s in reader.statements()), *named(READ_FILES)]
    assert {s.place for s in found} >= {*ALLOWED, ("reads.sql", "text_of_document")}
    assert [(*s.place, told) for s in found if (told := wrong(s, compiling))] == []


def test_all_that_readers_run_is_walked() -> None:
    assert {place for reader in READERS for place in reader.unwalked()} == {RUNS_THE_VIEWS}
    assert MODULES["visible"].files() == {"visible.sql"}


def test_readers_have_files_of_their_own_and_import_no_writer() -> None:
    others = frozenset().union(*(MODULES[name].files() for name in NOT_FOR_READERS))
    assert {"reads.sql"} <= READ_FILES
    assert {"writes.sql", "schema.sql"} <= others
    assert not READ_FILES & others
    writers = NOT_FOR_READERS.keys() - {"connection"}
    assert [r.name for r in READERS if r.neighbours() & writers] == ["store"]


def test_nothing_but_the_store_speaks_to_sqlite() -> None:
    """Others may ask for its version."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.parent != STORE:
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
    planted = Module("texts", ast.parse(f"def read():\n    connection.execute({sql!r})\n"))
    (found,) = planted.statements()
    assert found.place == ("texts", "read")
    assert wrong(found, compiling)


def test_only_the_one_place_may_read_tables(compiling: Compiler) -> None:
    for place, tables in ALLOWED.items():
        for table in TABLES:
            told = wrong(Statement(place, f"SELECT * FROM {table}"), compiling)
            assert told == ("" if table in tables else f"names {table}")
            assert wrong(Statement(("search", place[1]), f"SELECT * FROM {table}"), compiling)


@pytest.mark.parametrize(
    "sql",
    ["f'SELECT * FROM {table}'", "'SELECT * FROM ' + table", "text", "_OTHER['nodes']"],
)
def test_what_cannot_be_walked_is_found(sql: str) -> None:
    planted = Module("texts", ast.parse(f"def read():\n    cursor.executemany({sql}, [])\n"))
    assert list(planted.unwalked()) == [("texts", "read")]


def test_a_reader_that_borrows_from_a_writer_is_found() -> None:
    planted = Module(
        "texts",
        ast.parse(
            f"from {PACKAGE} import prune\n"
            f"from {PACKAGE}.writes import SqliteWrites\n"
            "_SQL = named_queries(PACKAGE, 'writes.sql')\n"
        ),
    )
    assert planted.files() == {"writes.sql"}
    assert planted.neighbours() >= {"prune", "writes"}
