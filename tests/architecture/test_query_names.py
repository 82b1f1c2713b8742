"""Every query that code names exists in every dialect, and every query is used."""

import ast
import re
from collections.abc import Iterable
from types import MappingProxyType

import pytest

from docgraph.adapters.postgres.database import POSTGRES
from docgraph.adapters.sql.database import load_queries, named_queries, script
from docgraph.adapters.sqlite.database import SQLITE
from tests.support.query_names import UNKNOWN, uses
from tests.support.store_modules import ADAPTERS, SHARED, Module, folder, modules

# Packages with .sql files in one dialect each, and with modules that run more than is shared.
DIALECTS = MappingProxyType({"sqlite": SQLITE, "postgres": POSTGRES})
# Every package with .sql files, and the folder in it where they are.
FOLDERS = (("sql", "queries/"), ("sqlite", ""), ("postgres", ""))
# Overrides of queries of other files, and parts of a view.
NO_QUERIES = {"overrides.sql", "document_relationships.sql"}
Queries = set[tuple[str, str]]


def used_queries(found: Iterable[Module]) -> Queries:
    return {(use.file, use.query) for module in found for use in uses(module)}


def files(package: str, below: str = "") -> list[str]:
    return sorted(path.name for path in folder(package).glob(f"{below}*.sql"))


def existing_queries(dialect: str) -> Queries:
    """Neutral queries, and those of files that no other dialect has."""
    found = {*files("sql", "queries/"), *files(dialect)} - NO_QUERIES
    return {(file, name) for file in found for name in load_queries(DIALECTS[dialect], file)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_used_query_exists(dialect: str) -> None:
    used = used_queries(modules(*SHARED, dialect).values())
    assert {("reads.sql", "relationships_in"), ("writes.sql", "ended_states")} <= used
    assert sorted(used - existing_queries(dialect)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_query_is_used(dialect: str) -> None:
    assert (
        sorted(existing_queries(dialect) - used_queries(modules(*SHARED, dialect).values())) == []
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_sql_file_is_used(dialect: str) -> None:
    known = frozenset().union(*(found.files() for found in modules(*SHARED, dialect).values()))
    assert {*files("sql", "queries/"), *files(dialect)} <= known


@pytest.mark.parametrize(("package", "below"), FOLDERS)
def test_a_query_name_is_unique_and_well_formed(package: str, below: str) -> None:
    """A second query of the same name would hide the first; a typing error would hide a query."""
    for file in files(package, below):
        where = f"{ADAPTERS}.{package}", f"{below}{file}"
        lines = re.findall(r"(?im)^.*--\s*name\b.*$", script(*where))
        assert lines == [f"-- name: {name}" for name in named_queries(*where)], file


def test_no_dialect_has_a_file_of_a_neutral_name() -> None:
    """It would never be read."""
    for dialect in DIALECTS:
        assert not set(files(dialect)) & set(files("sql", "queries/"))


def module_with(text: str) -> Module:
    """A module with a class, constants and functions that contains the text."""
    return Module(
        "sql.graph",
        ast.parse(
            "_BOTH = ('one', 'two')\n"
            "_MEANT = MappingProxyType({'one': 'first', 'two': 'second'})\n"
            "_MORE = (*_BOTH, 'three')\n"
            "class SqlPlanted:\n"
            "    def __init__(self, sql, database):\n"
            "        self._sql = sql\n"
            "        self._other = database.queries('maintenance.sql')\n"
            f"    def read(self, query, direction: Direction, database):\n        {text}\n"
            "    def _run(self, query):\n"
            "        pass\n"
        ),
    )


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("self._sql.rows('one')", "one"),
        ("self._sql['one']", "one"),
        ("self._sql.run('one' if direction else 'two')", "one two"),
        ("return [self._sql.row(name) for name in ('one', 'two')]", "one two"),
        ("for name in _BOTH: self._sql.many(name, [])", "one two"),
        ("for name, word in _MEANT.items(): self._sql.row(name)", "one two"),
        ("name = 'one'; self._sql.row(f'{name}_of_{name}')", "one_of_one"),
        ("a, b = 'one', 'two'; a, b = b, a; self._sql.row(a)", "one two"),
        ("self._sql.rows(f'stated_{direction}')", "stated_in stated_out"),
        # A name that may be anything is unknown.
        ("self._sql.rows(query)", UNKNOWN),
        ("self._sql[query]", UNKNOWN),
        ("self._sql.rows('one' if direction else query)", UNKNOWN),
        ("self._sql.rows(f'all_{query}')", UNKNOWN),
        ("self._sql.rows('all_' + direction)", UNKNOWN),
        ("self._sql.rows(*names)", UNKNOWN),
        ("self._sql.rows()", UNKNOWN),
        ("for name in _MORE: self._sql.row(name)", UNKNOWN),
        ("for name in names: self._sql.row(name)", UNKNOWN),
        ("for word, name in _MEANT: self._sql.row(name)", UNKNOWN),
        ("name = 'one'; name += query; self._sql.row(name)", UNKNOWN),
        ("name = 'one'; (name := query); self._sql.row(name)", UNKNOWN),
        ("name = 'one'; return lambda name: self._sql.row(name)", UNKNOWN),
        ("name = name; self._sql.row(name)", UNKNOWN),
        ("direction = query; self._sql.rows(f'stated_{direction}')", UNKNOWN),
    ],
)
def test_query_names_are_found_or_reported_as_unknown(text: str, queries: str) -> None:
    found = {(use.place, use.file, use.query) for use in uses(module_with(text))}
    place = ("sql.graph", "read")
    assert found == {(place, "reads.sql", query) for query in queries.split()}


@pytest.mark.parametrize(
    ("calls", "queries"),
    [
        ("self._ask('one'); self._ask(query='two')", "one two"),
        ("for name in ('one', 'two'): self._ask(name)", "one two"),
        ("self._ask('one'); self._ask(name)", UNKNOWN),
        ("self._ask('one'); self._ask(*names)", UNKNOWN),
        ("self._ask('one'); map(self._ask, names)", UNKNOWN),
        ("pass", UNKNOWN),
    ],
)
def test_a_query_name_in_a_parameter_is_found_from_all_calls(calls: str, queries: str) -> None:
    text = f"def _ask(self, query): self._sql.rows(query)\ndef read(self):\n    {calls}\n"
    found = {use.query for use in uses(Module("sql.graph", ast.parse(text)))}
    assert found == set(queries.split())


def test_a_parameter_of_a_public_function_is_unknown() -> None:
    text = "def ask(sql, query): sql.rows(query)\nask(sql, 'one')\n"
    assert [use.query for use in uses(Module("sql.graph", ast.parse(text)))] == [UNKNOWN]


@pytest.mark.parametrize(
    ("module", "text", "file"),
    [
        ("sql.graph", "self._sql.rows('one')", "reads.sql"),
        ("sql.graph", "self._other.rows('one')", "maintenance.sql"),
        ("sql.graph", "sql = database.queries('access.sql'); sql.rows('one')", "access.sql"),
        ("sql.graph", "database.queries('access.sql').rows('one')", "access.sql"),
        ("sql.graph", "SqliteQueries(connection, 'audit.sql').rows('one')", "audit.sql"),
        ("sql.graph", "database.queries(query).rows('one')", UNKNOWN),
        ("sql.stranger", "self._sql.rows('one')", UNKNOWN),
        ("sql.graph", "self._other = database.queries('a.sql'); self._other.row('one')", UNKNOWN),
    ],
)
def test_sql_files_are_found_or_reported_as_unknown(module: str, text: str, file: str) -> None:
    (found,) = uses(Module(module, module_with(text).tree))
    assert found.file == file


def test_no_query_has_the_name_for_unknown() -> None:
    assert all(UNKNOWN not in query for dialect in DIALECTS for query in existing_queries(dialect))
