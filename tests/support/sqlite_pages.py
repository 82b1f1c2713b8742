"""The pages of a SQLite file: whose they are, and of which kind. Only what tests of damage need."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

HEADER = 100  # bytes before the first page's own header
_KINDS = {2: "inner index", 5: "inner table", 10: "leaf index", 13: "leaf table"}


class Page(NamedTuple):
    """`owner` is a table or an index, `begin` the place of its header in the file."""

    owner: str
    kind: str
    begin: int
    end: int


class SqlitePages:
    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        size = int.from_bytes(self._data[16:18], "big")
        self.size = 65536 if size == 1 else size
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
            self._roots = {"sqlite_schema": 1, **dict(rows)}

    def pages(self) -> list[Page]:
        found = [page for owner, root in self._roots.items() for page in self._tree(owner, root)]
        found += [self._page("free pages", "free", number) for number in self._free()]
        known = {page.begin // self.size for page in found}
        others = set(range(len(self._data) // self.size)) - known
        found += [self._page("long values", "overflow", number + 1) for number in sorted(others)]
        return found

    def _page(self, owner: str, kind: str, number: int) -> Page:
        begin = (number - 1) * self.size
        return Page(owner, kind, begin + (HEADER if number == 1 else 0), begin + self.size)

    def _int(self, at: int, size: int) -> int:
        return int.from_bytes(self._data[at : at + size], "big")

    def _tree(self, owner: str, number: int) -> Iterator[Page]:
        page = self._page(
            owner, _KINDS[self._data[(number - 1) * self.size + HEADER * (number == 1)]], number
        )
        yield page
        if page.kind.startswith("inner"):
            first = (number - 1) * self.size
            cells = (
                first + self._int(page.begin + 12 + 2 * at, 2)
                for at in range(self._int(page.begin + 3, 2))
            )
            for child in (*(self._int(cell, 4) for cell in cells), self._int(page.begin + 8, 4)):
                yield from self._tree(owner, child)

    def _free(self) -> Iterator[int]:
        trunk = self._int(32, 4)
        while trunk:
            yield trunk
            begin = (trunk - 1) * self.size
            for at in range(self._int(begin + 4, 4)):
                yield self._int(begin + 8 + 4 * at, 4)
            trunk = self._int(begin, 4)

    def used_bytes(self, page: Page) -> list[int]:
        """Positions in a b-tree page that mean something: its header, its pointers, its cells."""
        first = page.end - self.size
        many = self._int(page.begin + 3, 2)
        pointers = page.begin + (12 if page.kind.startswith("inner") else 8)
        content = first + (self._int(page.begin + 5, 2) or 65536)
        return [*range(page.begin, pointers + 2 * many), *range(content, page.end)]
