"""Documents, edges and questions made by hand; a meaning is a direction on a compass."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from docgraph.model.document import Chunk
from docgraph.model.edge import Edge, EdgeEvidence, Relationship
from docgraph.model.node import (
    CODE,
    DOCUMENT,
    SECTION,
    DocumentNode,
    Location,
    chunk_id,
    document_of,
    path_of,
)
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.seeds import CandidateScores, Seed, Seeds
from docgraph.model.vector import IntVector, to_integers

Meaning = tuple[float, float, float]
NORTH: Meaning = (1.0, 0.0, 0.0)
EAST: Meaning = (0.0, 1.0, 0.0)
UP: Meaning = (0.0, 0.0, 1.0)
EMBEDDER = EmbedderIdentity("compass", "0" * 64, 3)


def towards(share: float) -> Meaning:
    """A direction between north (1) and east (0)."""
    return (share, float(np.sqrt(1 - share * share)), 0.0)


def vector(meaning: Meaning) -> IntVector:
    return to_integers(np.array(meaning, dtype=np.float64))


def ask(text: str, meaning: Meaning | None = NORTH) -> Question:
    asked = () if meaning is None else tuple(int(value) for value in vector(meaning))
    return Question(text, asked, EMBEDDER)


def seeds(*ids: str) -> Seeds:
    """Best first, each half as good as the one before."""
    ranked = tuple(Seed(node, 0.5**place, "told") for place, node in enumerate(ids))
    return Seeds(ranked, search=(("mode", "told"),))


def with_scores(found: Seeds, middle: float | None = 0.0) -> Seeds:
    """The same seeds, as search hands them on: it knows how they stand."""
    scores = tuple((seed.id, seed.score) for seed in found.ranked)
    return replace(found, standing=CandidateScores(scores, middle))


def edge(
    source: str, target: str, relation: str = "references", at: int | None = None
) -> Relationship:
    """An edge said at a place in the source's text; without a place it is nobody's claim."""
    places = () if at is None else (evidence_at("word", at),)
    return Relationship(Edge(source, relation, target), ("test",), places)


def evidence_at(words_: str, start: int, rank: int = 0) -> EdgeEvidence:
    return EdgeEvidence("source.md", 1, start, start + len(words_), rank, words_)


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """A passage and what it means."""

    text: str
    meaning: Meaning = NORTH


@dataclass(frozen=True, slots=True)
class Part:
    """A section (`#slug`) or symbol (`::name`), with its passages and what it encloses."""

    suffix: str
    chunks: tuple[ChunkSpec, ...] = ()
    meaning: Meaning = NORTH
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SampleDocument:
    """A document as a store would hold it."""

    text: str
    nodes: tuple[DocumentNode, ...]
    node_vectors: tuple[IntVector, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: tuple[IntVector, ...]

    @property
    def id(self) -> str:
        return self.nodes[0].id


@dataclass(slots=True)
class _Writer:
    """Lays a document's passages one after another, each on a line."""

    id: str
    text: str = ""
    lines: int = 1
    nodes: list[DocumentNode] = field(default_factory=list)
    node_vectors: list[IntVector] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    chunk_vectors: list[IntVector] = field(default_factory=list)

    def node(self, node: str, kind: str, title: str, parent: str | None, part: Part) -> None:
        at, start, first = len(self.nodes), len(self.text), self.lines
        self.nodes.append(
            DocumentNode(
                node, kind, title, f"Summary of {title}.", parent, self._here(start, first)
            )
        )
        self.node_vectors.append(vector(part.meaning))
        for passage in part.chunks:
            self._chunk(node, () if parent is None else (title,), passage)
        for inner in part.parts:
            name = inner.suffix.lstrip("#:").rpartition(".")[2]
            inner_kind = SECTION if inner.suffix.startswith("#") else "function"
            self.node(self.id + inner.suffix, inner_kind, name, node, inner)
        whole = replace(self._here(start, first), last_line=max(first, self.lines - 1))
        self.nodes[at] = replace(self.nodes[at], source=whole)

    def _chunk(self, node: str, path: tuple[str, ...], passage: ChunkSpec) -> None:
        start, first = len(self.text), self.lines
        self.text += passage.text
        here = self._here(start, first)
        position = len(self.chunks)
        self.chunks.append(
            Chunk(chunk_id(node, position), node, position, path, passage.text, here)
        )
        self.chunk_vectors.append(vector(passage.meaning))
        self.text += "\n"
        self.lines += passage.text.count("\n") + 1

    def _here(self, start: int, first_line: int) -> Location:
        return Location(path_of(self.id), first_line, self.lines, start, len(self.text))


def document(
    node: str, *passages: ChunkSpec | str, meaning: Meaning = NORTH, parts: tuple[Part, ...] = ()
) -> SampleDocument:
    """Kind `code` when the path ends in .py; the title is the path."""
    told = tuple(ChunkSpec(p, meaning) if isinstance(p, str) else p for p in passages)
    writer = _Writer(node)
    kind = CODE if node.endswith(".py") else DOCUMENT
    writer.node(node, kind, path_of(node), None, Part("", told, meaning, parts))
    return SampleDocument(
        writer.text,
        tuple(writer.nodes),
        tuple(writer.node_vectors),
        tuple(writer.chunks),
        tuple(writer.chunk_vectors),
    )


def roots(ids: Iterable[str]) -> set[str]:
    return {document_of(node) for node in ids}
