"""From what a reader found to the document that is stored."""

from dataclasses import dataclass

from docgraph.ingest.chunking import SIZE, chunks, heading_paths
from docgraph.ingest.definitions import names, offers
from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.miners.registry import claims
from docgraph.ingest.parsed_file import ParsedFile, Part
from docgraph.ingest.source_text import Positions
from docgraph.ingest.summary import summary_of_document, summary_of_part
from docgraph.model.access import AccessStatement
from docgraph.model.digest import digest
from docgraph.model.document import Chunk, Document
from docgraph.model.node import SECTION, DocumentNode, Location, document_id, section_id, symbol_id
from docgraph.ports.source import SourceFile

# The texts that are embedded and searched: what a passage says, with where it stands in front.


def embedded_text(title: str, chunk: Chunk, signature: str = "") -> str:
    """Title and heading path in front of the passage; nothing that it opens with is said twice.

    `signature` is that of the symbol the passage is cut out of.
    """
    text, told = chunk.text, [title, *chunk.heading_path]
    last = told[-1]
    if last in text[: 2 * len(last) + 16]:
        told.pop()
    front = " > ".join(filter(None, told))
    if signature and not _begins_with(text, signature):
        front = f"{front}\n{signature}" if front else signature
    return f"{front}\n{text}" if front else text


def embedded_summary(title: str, node: DocumentNode) -> str:
    """The summary, in front of it the title of the document that a section or symbol is in."""
    if node.parent is None:
        return node.summary
    name = "" if node.title in node.summary else f" > {node.title}"
    return f"{title}{name}\n{node.summary}"


def _begins_with(text: str, signature: str) -> bool:
    """Whatever decorators stand before it, a symbol's first passage holds its signature."""
    return signature.partition("(")[0] in text


# Raised whenever the same bytes would give another document than before.
VERSION = 4


@dataclass(frozen=True, slots=True)
class BuiltDocument:
    """A document with the text to embed for each of its chunks and nodes, in their order."""

    document: Document
    chunk_texts: tuple[str, ...]
    node_texts: tuple[str, ...]


def fingerprint(file: SourceFile, content: str, known_as: str, size: int = SIZE) -> str:
    """Changes when the document would; who may read it is no part of it."""
    return digest((VERSION, file.path, file.title, known_as, content, size))


def build_document(
    repository: str,
    path: str,
    parsed: ParsedFile,
    told: tuple[AccessStatement, ...],
    mark: str,
    size: int = SIZE,
) -> BuiltDocument:
    """`mark` is the fingerprint under which the document will be recognised."""
    nodes = nodes_of(repository, path, parsed)
    ids = tuple(node.id for node in nodes)
    parts = ids[1:]
    passages = chunks(path, parsed, ids[0], parts, size)
    defined = names(path, parsed, nodes)
    own = tuple(name.name for name in defined if name.node == ids[0])
    sketch = DocumentView(repository, path, parsed, ids, own, Positions(parsed).at)
    document = Document(
        path=path,
        text=parsed.text,
        nodes=nodes,
        chunks=passages,
        definitions=tuple(offers(path, parsed, ids, defined)),
        references=claims(sketch),
        statements=told,
        fingerprint=mark,
        unresolved_calls=parsed.opaque,
        source_lines=parsed.source_lines,
    )
    signatures = dict(zip(parts, (part.signature for part in parsed.parts), strict=True))
    return BuiltDocument(
        document,
        tuple(embedded_text(parsed.title, c, signatures.get(c.node, "")) for c in passages),
        tuple(embedded_summary(parsed.title, node) for node in nodes),
    )


def nodes_of(repository: str, path: str, parsed: ParsedFile) -> tuple[DocumentNode, ...]:
    """The document's own node, then its parts: sections by heading, symbols by qualified name."""
    paths = heading_paths(parsed)
    root = document_id(repository, path)
    places = Positions(parsed)
    nodes = [
        DocumentNode(
            id=root,
            kind=parsed.kind,
            title=parsed.title,
            summary=summary_of_document(parsed),
            parent=None,
            source=_location(path, parsed.text, 0, len(parsed.text), places),
        )
    ]
    for index, part in enumerate(parsed.parts):
        parent = root if part.parent is None else nodes[part.parent + 1].id
        nodes.append(
            DocumentNode(
                id=part_id(root, part),
                kind=part.kind,
                title=part.title if part.kind == SECTION else ".".join(paths[index]),
                summary=summary_of_part(parsed, index),
                parent=parent,
                source=_location(path, parsed.text, part.start, part.end, places),
            )
        )
    return tuple(nodes)


def part_id(root: str, part: Part) -> str:
    return (section_id if part.kind == SECTION else symbol_id)(root, part.name)


def _location(path: str, text: str, start: int, end: int, places: Positions) -> Location:
    """Blank space at the end belongs to nobody."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return places.location(path, start, end)
