"""A document as ingest hands it to the store: nodes, chunks, definitions and references."""

from dataclasses import dataclass

from docgraph.model.access import AccessStatement
from docgraph.model.node import DocumentNode, Location
from docgraph.model.reference import Definition, Reference


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document that is embedded, searched and cited.

    `node` is the innermost node that contains it; `position` counts within the document.
    """

    id: str
    node: str
    position: int
    heading_path: tuple[str, ...]
    text: str
    location: Location


@dataclass(frozen=True, slots=True)
class Document:
    """`nodes[0]` is the document's own node. `fingerprint` changes when any other field would.

    The exception are `statements` on who may read it, which lie outside the snapshots.

    `unresolved_calls` counts calls whose target the file does not show. `source_lines` maps
    offsets in the text to lines of the file, where the text is not the file's own. Documents with
    a lower `embedding_priority` are embedded first.
    """

    path: str
    text: str
    nodes: tuple[DocumentNode, ...]
    chunks: tuple[Chunk, ...]
    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]
    statements: tuple[AccessStatement, ...]
    fingerprint: str
    unresolved_calls: int = 0
    source_lines: tuple[tuple[int, int], ...] = ()
    embedding_priority: int = 1

    @property
    def id(self) -> str:
        return self.nodes[0].id


@dataclass(frozen=True, slots=True)
class NodeText:
    """One node or chunk as a reader opens it; a chunk has the title and summary of its `node`.

    `ingestion_id` is repository, branch and number of the snapshot in which this version of the
    document first appeared. `access` is why the reader may see it. `text` is None where it was not
    requested.
    """

    id: str
    node: str
    document_id: str
    ingestion_id: str
    kind: str
    title: str
    summary: str
    location: Location
    heading_path: tuple[str, ...]
    access: str
    text: str | None
