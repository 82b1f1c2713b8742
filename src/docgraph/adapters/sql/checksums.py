"""Checksums of stored rows: written with them, compared by `verify`, and never read for a reader.

They find accidental damage: a CRC-32 finds every changed byte, and all but one of four billion
other changes. A person who changes a row on purpose can change its checksum, too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any
from zlib import crc32

from docgraph.adapters.sql.database import DamagedRow, shared_query

_PLAIN = frozenset({str, int, float, NoneType})
_COLUMNS = re.compile(r"SELECT (.*?)\sFROM ", re.DOTALL)


@cache
def covered_columns(table: str) -> tuple[str, ...]:
    """What a row's checksum is computed from, in this order: what the query of this name selects,
    but for the checksum."""
    found = _COLUMNS.match(shared_query(table, "checksums.sql", "server.sql"))
    assert found is not None, "the query selects columns"
    names = (name.strip().rpartition(".")[2] for name in found[1].split(","))
    return tuple(name for name in names if not name.endswith("checksum"))


def checksum(table: str, values: Iterable[Any]) -> int:
    """Of one row, whose values are in the order of `covered_columns`.

    The same in every version of Python: `repr` would follow its Unicode tables.
    """
    row = tuple(values)
    if not _PLAIN.issuperset(map(type, row)):
        row = tuple(one if type(one) in _PLAIN else crc32(bytes(one)) for one in row)
    return crc32(ascii(row).encode(), _seed(table))


@cache
def _seed(table: str) -> int:
    return crc32(table.encode())


def segment_checksum(row: Iterable[object], postings: Iterable[Sequence[object]]) -> int:
    """Of a segment with its postings: a row of `segments`, and rows of `postings`."""
    return checksum("segments", row) + sum(checksum("postings", one) for one in postings)


def row_checksum(table: str, row: Mapping[str, object]) -> int:
    return checksum(table, map(row.__getitem__, covered_columns(table)))


def with_checksum(table: str, row: Mapping[str, object]) -> dict[str, object]:
    return {**row, "checksum": row_checksum(table, row)}


def is_intact(table: str, row: Sequence[object]) -> bool:
    """A row as checksums.sql selects it: its checksum comes last."""
    return checksum(table, row[:-1]) == row[-1]


def require_intact(table: str, rows: Iterable[Sequence[object]]) -> None:
    """Before rows are changed: what was damaged must not get a new checksum."""
    if not all(is_intact(table, row) for row in rows):
        raise DamagedRow(f"a row of {table} differs from its checksum")
