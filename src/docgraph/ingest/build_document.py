"""Builds the document that is stored from a parsed file, and the texts to embed."""

from collections.abc import Iterable, Sequence

from docgraph.ingest.chunking import CHUNK_CHARACTERS, heading_paths, split_chunks
from docgraph.ingest.definitions import defined_names, list_definitions
from docgraph.ingest.embedding_priority import embedding_priority
from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.miners.registry import SHIPPED_MINERS, MinerRegistry
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Positions
from docgraph.ingest.summary import summarize_document, summarize_part
from docgraph.model.access import AccessStatement
from docgraph.model.digest import digest
from docgraph.model.document import Chunk, Document
from docgraph.model.node import SECTION, DocumentNode, Location, document_id
from docgraph.ports.source import SourceFile
from docgraph.ports.writes import BuiltDocument

# Raised whenever the same bytes would give another document than before.
VERSION = 6


def texts_to_embed(
    nodes: Sequence[DocumentNode], chunks: Iterable[Chunk]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One for each chunk, and one for each node; the first node is the document."""
    title = nodes[0].title
    signatures = {node.id: node.signature for node in nodes}
    return (
        tuple(chunk_text_to_embed(title, chunk, signatures[chunk.node]) for chunk in chunks),
        tuple(node_text_to_embed(title, node) for node in nodes),
    )


def chunk_text_to_embed(title: str, chunk: Chunk, signature: str = "") -> str:
    """Title and heading path before the chunk's text, unless the text begins with them.

    `signature` is that of the symbol the chunk is part of.
    """
    text, headings = chunk.text, [title, *chunk.heading_path]
    last = headings[-1]
    if last in text[: 2 * len(last) + 16]:
        headings.pop()
    front = " > ".join(filter(None, headings))
    if signature and not _contains_signature(text, signature):
        front = f"{front}\n{signature}" if front else signature
    return f"{front}\n{text}" if front else text


def node_text_to_embed(title: str, node: DocumentNode) -> str:
    """The summary, after the title of the document that a section or symbol is in."""
    if node.parent is None:
        return node.summary
    name = "" if node.title in node.summary else f" > {node.title}"
    return f"{title}{name}\n{node.summary}"


def _contains_signature(text: str, signature: str) -> bool:
    """A symbol's first chunk contains its signature, though decorators may precede it."""
    return signature.partition("(")[0] in text


def make_fingerprint(
    file: SourceFile,
    content: str,
    format_name: str,
    size: int = CHUNK_CHARACTERS,
    versions: tuple[tuple[str, int], ...] = (),
) -> str:
    """Changes when the document would; who may read it is no part of it.

    `versions` are those of plug-ins.
    """
    return digest((VERSION, file.path, file.title, format_name, content, size, *versions))


def build_document(
    repository: str,
    path: str,
    parsed: ParsedFile,
    statements: tuple[AccessStatement, ...],
    fingerprint: str,
    size: int = CHUNK_CHARACTERS,
    *,
    miners: MinerRegistry = SHIPPED_MINERS,
) -> BuiltDocument:
    """A file whose `fingerprint` has not changed need not be built again."""
    nodes = build_nodes(repository, path, parsed)
    root, *parts = (node.id for node in nodes)
    chunks = split_chunks(path, parsed, root, parts, size)
    names = defined_names(path, parsed, nodes)
    own = tuple(name for name, suffix in names if not suffix)
    view = DocumentView(repository, path, parsed, own, Positions(parsed).at)
    document = Document(
        path=path,
        text=parsed.text,
        nodes=nodes,
        chunks=chunks,
        definitions=tuple(list_definitions(path, parsed, names)),
        references=miners.mine(view),
        statements=statements,
        fingerprint=fingerprint,
        unresolved_calls=parsed.unresolved_calls,
        source_lines=parsed.source_lines,
        embedding_priority=embedding_priority(path, parsed.kind, parsed.text),
    )
    return BuiltDocument(document, *texts_to_embed(nodes, chunks))


def build_nodes(repository: str, path: str, parsed: ParsedFile) -> tuple[DocumentNode, ...]:
    """The document's own node, then its parts: sections by heading, symbols by qualified name."""
    paths = heading_paths(parsed)
    root = document_id(repository, path)
    positions = Positions(parsed)
    nodes = [
        DocumentNode(
            id=root,
            kind=parsed.kind,
            title=parsed.title,
            summary=summarize_document(parsed),
            parent=None,
            source=_location(path, parsed.text, 0, len(parsed.text), positions),
        )
    ]
    for index, part in enumerate(parsed.parts):
        parent = root if part.parent is None else nodes[part.parent + 1].id
        nodes.append(
            DocumentNode(
                id=root + part.suffix,
                kind=part.kind,
                title=part.title if part.kind == SECTION else ".".join(paths[index]),
                summary=summarize_part(parsed, index),
                parent=parent,
                source=_location(path, parsed.text, part.start, part.end, positions),
                signature_length=len(part.signature),
            )
        )
    return tuple(nodes)


def _location(path: str, text: str, start: int, end: int, positions: Positions) -> Location:
    """Without white space at the end."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return positions.location(path, start, end)
