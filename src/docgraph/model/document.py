"""A document as ingestion hands it to the store: nodes, chunks and names, built from one file."""

from dataclasses import dataclass

from docgraph.model.access import AccessStatement
from docgraph.model.node import DocumentNode, Location
from docgraph.model.reference import Definition, Reference

# Chunks: the passages of a document that are embedded, searched and cited.


@dataclass(frozen=True, slots=True)
class Chunk:
    """`node` is the innermost node that holds it; `position` counts within the document."""

    id: str
    node: str
    position: int
    heading_path: tuple[str, ...]
    text: str
    location: Location


@dataclass(frozen=True, slots=True)
class DefinedName:
    """An exact identifier and the node that defines it."""

    name: str
    node: str


@dataclass(frozen=True, slots=True)
class Document:
    """`nodes[0]` is the document's own node. `fingerprint` changes when any of this would.

    But for `told`, all that is said on who may read it, which lies outside the snapshots.

    `opaque` counts calls that nothing in the file leads anywhere. `source_lines` maps offsets in
    the text to lines of the file, where the text is not the file's own.
    """

    path: str
    text: str
    nodes: tuple[DocumentNode, ...]
    chunks: tuple[Chunk, ...]
    offers: tuple[Definition, ...]
    claims: tuple[Reference, ...]
    told: tuple[AccessStatement, ...]
    fingerprint: str
    opaque: int = 0
    source_lines: tuple[tuple[int, int], ...] = ()

    @property
    def id(self) -> str:
        return self.nodes[0].id


# One node as a reader opens it: what it is about, where it stands, and its own text.


@dataclass(frozen=True, slots=True)
class NodeText:
    """Of a chunk: `node` holds it, and title and summary are that node's.

    `access` says on what grounds its reader sees it. `text` is None where it was not asked for.
    """

    id: str
    node: str
    document: str
    kind: str
    title: str
    summary: str
    location: Location
    heading_path: tuple[str, ...]
    access: str
    text: str | None
