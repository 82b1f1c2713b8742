"""What the code here sees of a database: named queries of .sql files, rows in, rows out."""

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from importlib import resources
from typing import Any, LiteralString, Protocol

from docgraph.model.vector import IntVector

FOREVER = 2**62  # the snapshot in which what still lives dies
Row = tuple[Any, ...]


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
        """Of one state, whoever changes it meanwhile."""
        ...

    def durable(self, on: bool, /) -> None:
        """Off, a commit may be lost in a crash, but only together with all that follow."""
        ...

    def vector(self, vector: IntVector, /) -> object:
        """As a column takes it; read again, it is bytes, as `segment.unpack` reads them."""
        ...


def single_row(row: Row | None) -> Row:
    """The row of a query that always has one."""
    assert row is not None, "this query always has a row"
    return row


# SQL lives in .sql files; a query is found there by its name.


_HEADER = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def script(package: str, file: str) -> str:
    return (resources.files(package) / file).read_text(encoding="utf-8")


@cache
def named_queries(package: str, file: str) -> dict[str, LiteralString]:
    """Each query's text by name; a line `-- name: x` starts query x."""
    parts = _HEADER.split(script(package, file))
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))
