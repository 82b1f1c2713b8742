"""One node as a reader opens it: what it is about, where it stands, and its own text."""

from dataclasses import dataclass

from docgraph.model.node import Location


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
