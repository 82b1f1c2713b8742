"""Chunks: the passages of a document that are embedded, searched and cited."""

from dataclasses import dataclass

from docgraph.model.node import Location


@dataclass(frozen=True, slots=True)
class Chunk:
    """`node` is the innermost node that holds it; `position` counts within the document."""

    id: str
    node: str
    position: int
    heading_path: tuple[str, ...]
    text: str
    location: Location
