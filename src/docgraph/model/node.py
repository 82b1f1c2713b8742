"""Nodes: documents, their sections, and the symbols of code."""

from dataclasses import dataclass

DOCUMENT = "document"
CODE = "code"
SECTION = "section"
ROOT_KINDS = (CODE, DOCUMENT)
SYMBOL_KINDS = ("class", "function", "interface", "method", "table")


@dataclass(frozen=True, slots=True)
class Location:
    """Where a node or chunk stands: a path, lines counted from 1, characters from 0, a page.

    Pages count from 1; a notebook's pages are its cells.
    """

    path: str
    first_line: int
    last_line: int
    start: int
    end: int
    page: int | None = None

    def cite(self) -> str:
        if self.page is not None:
            unit = "cell" if self.path.casefold().endswith(".ipynb") else "p."
            return f"{self.path} {unit} {self.page}"
        if self.first_line == self.last_line:
            return f"{self.path}:{self.first_line}"
        return f"{self.path}:{self.first_line}-{self.last_line}"


@dataclass(frozen=True, slots=True)
class Node:
    """`parent` is the id of the enclosing node; a document has none."""

    id: str
    kind: str
    title: str
    summary: str
    parent: str | None
    source: Location
