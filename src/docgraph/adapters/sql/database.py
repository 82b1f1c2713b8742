"""What the code here sees of a database: named queries of .sql files, rows in, rows out."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import itemgetter
from types import NoneType
from typing import Any, LiteralString, Protocol, TypeVar

from docgraph.model.vector import IntVector

Row = tuple[Any, ...]


class DamagedRow(Exception):
    """What is stored is not what docgraph writes. A store raises it as a DamagedStore."""


class Queries(Protocol):
    """The queries of one .sql file, by name. Values that a query does not name are ignored.

    A list or tuple is one value: the set of what is in it.
    """

    def rows(self, query: str, /, **values: object) -> list[Row]: ...

    def row(self, query: str, /, **values: object) -> Row | None:
        """The first row, if there is one."""
        ...

    def run(self, query: str, /, **values: object) -> int:
        """How many rows it changed."""
        ...

    def many(self, query: str, rows: Iterable[Mapping[str, object]], /) -> None:
        """Runs it for each of the rows."""
        ...


class Database(Protocol):
    """One connection."""

    def queries(self, file: str) -> Queries: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Of a writer: all of it or nothing."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Of one state, whatever others change meanwhile."""
        ...

    def durable(self, on: bool, /) -> None:
        """Off, a commit may be lost in a crash, but only together with all that follow."""
        ...

    def vector(self, vector: IntVector, /) -> object:
        """As a column takes it; read again, it is bytes, as `segment.unpack` reads them."""
        ...


def single_row(row: Row | None) -> Row:
    """The row of a query that always has one."""
    if row is None:
        raise DamagedRow("a row is missing")
    return row


T = TypeVar("T", int, str)


def next_page(after: T, last: T) -> T:
    """Where the next page of rows begins that are read in the order of their keys: behind the
    last of this one. Rows that are out of order would be read for ever."""
    if last <= after:
        raise DamagedRow("rows are out of order")
    return last


# SQL lives in .sql files; a query is found there by its name. Those in `queries` are written once,
# in neutral SQL: `:name` is a value, `IN :ids[text]` asks for membership in a set of values. A line
# `-- row: integer text?` has the types of a row; `?` is for a value that may be NULL.


_SHARED = "docgraph.adapters.sql"
_HEADER = re.compile(r"^-- name: ([\w.]+)$", re.MULTILINE)
_ROW = re.compile(r"^-- row: (.+)$", re.MULTILINE)
_COMMENT_LINE = re.compile(r"^--.*\n?", re.MULTILINE)
_VERBATIM = re.compile(r"""('[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/)""", re.DOTALL)
_SET = re.compile(r"\bIN :(\w+)\[(\w+)\]")
_VALUE = re.compile(r"(?<![:\w]):([a-z]\w*)")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`package` has the overrides.sql of this dialect, and .sql files that no other has."""

    package: str
    translate: Callable[[str], str]


@cache
def script(package: str, file: str) -> str:
    return (resources.files(package) / file).read_text(encoding="utf-8")


@cache
def named_queries(package: str, file: str) -> dict[str, LiteralString]:
    """Each query's text by name, without comments; a line `-- name: x` starts query x."""
    parts = _HEADER.split(script(package, file))
    texts = (_COMMENT_LINE.sub("", text).strip() for text in parts[2::2])
    return dict(zip(parts[1::2], texts, strict=True))


@cache
def load_queries(dialect: Dialect, file: str) -> dict[str, LiteralString]:
    """Of a neutral file: each query translated, or what the dialect has in its place.

    Of a file that only this dialect has: as it stands.
    """
    if not (resources.files(_SHARED) / "queries" / file).is_file():
        return named_queries(dialect.package, file)
    topic = file.removesuffix(".sql")
    overrides = named_queries(dialect.package, "overrides.sql")
    return {
        name: overrides.get(f"{topic}.{name}", dialect.translate(text))
        for name, text in named_queries(_SHARED, f"queries/{file}").items()
    }


Types = tuple[frozenset[type], ...]
_TYPES = {"integer": int, "text": str, "blob": bytes, "real": float}


@cache
def row_types(dialect: Dialect, file: str) -> dict[str, Types]:
    """The types of a row by query, as the file says; overrides have the same."""
    shared = (resources.files(_SHARED) / "queries" / file).is_file()
    text = script(_SHARED, f"queries/{file}") if shared else script(dialect.package, file)
    parts = _HEADER.split(text)
    return {
        name: tuple(map(_types, " ".join(words).split()))
        for name, query in zip(parts[1::2], parts[2::2], strict=True)
        if (words := _ROW.findall(query))
    }


def _types(word: str) -> frozenset[type]:
    optional = word.endswith("?")
    return frozenset({_TYPES[word.removesuffix("?")], *((NoneType,) if optional else ())})


def require_types(rows: Sequence[Row], types: Types) -> None:
    """A database that does not know its own types may have any after damage."""
    if rows and len(rows[0]) != len(types):
        raise DamagedRow(f"a row has {len(rows[0])} values, not {len(types)}")
    for at, allowed in enumerate(types):
        if not allowed.issuperset(map(type, map(itemgetter(at), rows))):
            raise DamagedRow("a value has another type than its column")


def shared_query(name: str, *files: str) -> str:
    """As it is written, in neutral SQL, in the first of the files that has it."""
    found = (named_queries(_SHARED, f"queries/{file}").get(name) for file in files)
    return next(filter(None, found))


@cache
def relations_view(package: str) -> str:
    """The statement that creates `document_relationships`, with the parts of a dialect."""
    file = "document_relationships.sql"
    return script(_SHARED, file).format_map(named_queries(package, file))


def translate_to_sqlite(text: str) -> str:
    """A set travels as a JSON array."""
    return _rewrite(text, lambda sql: _SET.sub(r"IN (SELECT value FROM json_each(:\1))", sql))


def translate_to_postgres(text: str) -> str:
    """A set travels as an array; `%` stands for itself everywhere, as psycopg wants it written."""
    return _rewrite(
        text.replace("%", "%%"),
        lambda sql: _VALUE.sub(r"%(\1)s", _SET.sub(r"= ANY (%(\1)s::\2[])", sql)),
    )


def _rewrite(text: str, change: Callable[[str], str]) -> str:
    """All but quoted strings, quoted names and comments."""
    parts = _VERBATIM.split(text)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)
