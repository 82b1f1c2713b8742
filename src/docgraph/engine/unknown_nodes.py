"""The error of an id that names no visible node: it suggests one that is visible."""

from docgraph.model.edge import CONTAINS
from docgraph.model.errors import NotVisible
from docgraph.model.node import document_of, encode
from docgraph.model.validation import closest_name, closest_path
from docgraph.ports.store import ReaderSession


def unknown_node(reads: ReaderSession, node: str) -> NotVisible:
    """Absent and forbidden read alike: what is suggested is visible."""
    close = _closest_node(reads, node)
    hint = f"did you mean {close!r}?" if close else "`search` gives the ids of what is visible"
    return NotVisible(f"no visible node has the id {node!r}; {hint}")


def _closest_node(reads: ReaderSession, name: str) -> str | None:
    """As an id, else as a path in one of the repositories."""
    repositories = (encode(one.repository) for one in reads.scope.snapshots)
    for node in (name, *(f"{repository}:{name}" for repository in repositories)):
        if found := _visible_node(reads, node) or _closest_document(reads, document_of(node)):
            return found
    return None


def _visible_node(reads: ReaderSession, node: str) -> str | None:
    """The node of a chunk; the closest part of a document, else the document."""
    owner, _, position = node.rpartition("@")
    if position.isdecimal():
        node = owner
    if reads.graph.visible_ids((node,)):
        return node
    document = document_of(node)
    if not reads.graph.visible_ids((document,)):
        return None
    inside = reads.graph.edges((document,), "out", frozenset({CONTAINS}))
    parts = {one.edge.target.removeprefix(document): one.edge.target for one in inside}
    close = closest_name(node.removeprefix(document), parts)
    return document if close is None else parts[close]


def _closest_document(reads: ReaderSession, document: str) -> str | None:
    """A repository counts as a folder."""
    known = {one.replace(":", "/", 1): one for one in reads.versions()}
    close = closest_path(document.replace(":", "/", 1), known)
    return None if close is None else known[close]
