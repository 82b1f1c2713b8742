"""Nodes: documents, their sections, and the symbols of code."""

from dataclasses import dataclass

from docgraph.model.errors import BadInput

DOCUMENT = "document"
CODE = "code"
SECTION = "section"
ROOT_KINDS = (CODE, DOCUMENT)
SYMBOL_KINDS = ("class", "function", "interface", "method", "table")


@dataclass(frozen=True, slots=True)
class Location:
    """The position of a node or chunk: a path, lines counted from 1, characters from 0, a page.

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
class DocumentNode:
    """`parent` is the id of the enclosing node; a document has none.

    The summary of a symbol begins with its signature, of so many characters.
    """

    id: str
    kind: str
    title: str
    summary: str
    parent: str | None
    source: Location
    signature_length: int = 0

    @property
    def signature(self) -> str:
        return self.summary[: self.signature_length]


# Node ids: `repository:path`, `repository:path#slug`, `repository:path::Qualified.name`.


_CODES = (("%", "%25"), (":", "%3A"), ("#", "%23"))


def encode(part: str) -> str:
    """Escapes the separators of ids."""
    for character, code in _CODES:
        part = part.replace(character, code)
    return part


def decode(part: str) -> str:
    for character, code in reversed(_CODES):
        part = part.replace(code, character)
    return part


def document_id(repository: str, path: str) -> str:
    if not repository or not path:
        raise BadInput("a document id needs a repository and a path, neither of them empty")
    return f"{encode(repository)}:{encode(path)}"


def section_id(document: str, slug: str) -> str:
    return f"{document}#{slug}"


def symbol_id(document: str, qualified_name: str) -> str:
    return f"{document}::{qualified_name}"


def chunk_id(node: str, position: int) -> str:
    """From its node and its position in the document, which no other chunk has."""
    return f"{node}@{position}"


def document_of(node: str) -> str:
    """The root document of any node id."""
    path = node.find(":") + 1
    if not path:
        return f"{node}:"
    section = node.find("#", path)
    symbol = node.find("::", path, section if section >= 0 else len(node))
    cut = section if symbol < 0 else symbol
    return node if cut < 0 else node[:cut]


def repository_of(node: str) -> str:
    return decode(node.partition(":")[0])


def path_of(node: str) -> str:
    return decode(document_of(node).partition(":")[2])
