"""A small world for tests: hand-made documents, and vectors made of hashes instead of a model.

Stores cannot tell: they get the same documents and vectors as from an ingest.
"""

from collections.abc import Mapping, Sequence

from docgraph.ingest.embedding import node_vectors
from docgraph.model.access import LOCAL_ONLY, AccessRule, AccessStatement
from docgraph.model.document import Chunk, Document
from docgraph.model.node import (
    DOCUMENT,
    SECTION,
    DocumentNode,
    Location,
    chunk_id,
    document_id,
    document_of,
    section_id,
)
from docgraph.model.reference import Definition, Reference, ReferenceTarget
from docgraph.ports.writes import BuiltDocument, SnapshotWriter, text_key
from docgraph.testing.small_store import HashedWords, hash_vector

NAME = "entity:Marie Curie"
IDENTITY = HashedWords.identity


def document(
    path: str,
    *texts: str,
    repository: str = "r",
    title: str | None = None,
    rule: AccessRule = LOCAL_ONLY,
    names: Sequence[str] = (),
    sections: bool = False,
    definitions: Mapping[str, int] | None = None,
    references: Sequence[Reference] = (),
    unresolved_calls: int = 0,
) -> Document:
    """One chunk per text; with `sections`, each is a section `s0`, `s1`, …

    `definitions` are the document's keys with their ranks.
    """
    root = document_id(repository, path)
    text = "\n".join(texts)
    lines = max(text.count("\n") + 1, 1)
    title = title or path
    nodes = [
        DocumentNode(root, DOCUMENT, title, title, None, Location(path, 1, lines, 0, len(text)))
    ]
    chunks: list[Chunk] = []
    start = 0
    for position, chunk in enumerate(texts):
        line = text[:start].count("\n") + 1
        location = Location(path, line, line + chunk.count("\n"), start, start + len(chunk))
        owner = root
        if sections:
            owner = section_id(root, f"s{position}")
            nodes.append(DocumentNode(owner, SECTION, f"part {position}", chunk, root, location))
        chunks.append(Chunk(chunk_id(owner, position), owner, position, (), chunk, location))
        start += len(chunk) + 1
    return Document(
        path=path,
        text=text,
        nodes=tuple(nodes),
        chunks=tuple(chunks),
        definitions=(
            *(Definition(f"doc:{name}") for name in names),
            *(Definition(key, rank=rank) for key, rank in (definitions or {}).items()),
        ),
        references=tuple(references),
        statements=statements_of(rule),
        fingerprint=text_key("\0".join((path, title, *texts))),
        unresolved_calls=unresolved_calls,
    )


def statements_of(rule: AccessRule) -> tuple[AccessStatement, ...]:
    """One who text so."""
    return (AccessStatement("ingest options", 0, "", rule),)


def reference(
    source: str,
    key: str,
    relation: str = "references",
    *,
    at: int = 0,
    text: str = "word",
    miner: str = "links",
    inner: str = "",
    strict: bool = False,
    rank: int = 0,
    distance_weight: int = 0,
    report_unresolved: bool = True,
) -> Reference:
    """Some characters of a first line."""
    target = ReferenceTarget(key, inner, strict, rank, distance_weight, report_unresolved)
    suffix = source.removeprefix(document_of(source))
    return Reference(suffix, relation, target, at, at + len(text), 1, text, miner)


def name_holder(path: str, *, rule: AccessRule = LOCAL_ONLY, title: str | None = None) -> Document:
    """A document that holds a name."""
    name = reference(f"r:{path}", NAME, "shares_entity", text="Marie Curie", miner="names")
    return document(path, "Marie Curie", references=[name], rule=rule, title=title)


def write(writes: SnapshotWriter, documents: Sequence[Document]) -> None:
    """As an ingest would: remember vectors, then put."""
    texts = {chunk.text for found in documents for chunk in found.chunks}
    writes.embeddings.add({text_key(text): hash_vector(text) for text in sorted(texts)})
    writes.documents.add([embed_document(found) for found in documents])


def embed_document(found: Document) -> BuiltDocument:
    vectors = [hash_vector(chunk.text) for chunk in found.chunks]
    return BuiltDocument(
        document=found,
        chunk_texts=tuple(chunk.text for chunk in found.chunks),
        node_texts=tuple(node.summary for node in found.nodes),
        node_vectors=node_vectors(
            found.nodes,
            found.chunks,
            vectors,
            [hash_vector(node.summary) for node in found.nodes],
        ),
    )
