"""A document as ingestion hands it to the store: nodes, chunks and names, built from one file."""

from dataclasses import dataclass

from docgraph.model.access import AccessRule
from docgraph.model.chunk import Chunk
from docgraph.model.node import Node


@dataclass(frozen=True, slots=True)
class DefinedName:
    """An exact identifier and the node that defines it."""

    name: str
    node: str


@dataclass(frozen=True, slots=True)
class Document:
    """`nodes[0]` is the document's own node. `fingerprint` changes when any of this would."""

    path: str
    text: str
    nodes: tuple[Node, ...]
    chunks: tuple[Chunk, ...]
    names: tuple[DefinedName, ...]
    rule: AccessRule
    fingerprint: str

    @property
    def id(self) -> str:
        return self.nodes[0].id
