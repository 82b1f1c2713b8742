"""Sample documents, edges and questions; a vector is a direction on a compass."""

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
    numbers = () if meaning is None else tuple(int(value) for value in vector(meaning))
    return Question(text, numbers, EMBEDDER)


def seeds(*ids: str) -> Seeds:
    """Best first, each half as good as the one before."""
    ranked = tuple(Seed(node, 0.5**position, "test") for position, node in enumerate(ids))
    return Seeds(ranked, search=(("mode", "test"),))


def with_scores(found: Seeds, middle: float | None = 0.0) -> Seeds:
    """The same seeds with the candidate scores that search adds."""
    scores = tuple((seed.id, seed.score) for seed in found.ranked)
    return replace(found, candidates=CandidateScores(scores, middle))


def edge(
    source: str, target: str, relation: str = "references", at: int | None = None
) -> Relationship:
    """An edge with evidence at a position in the source's text; without one it has none."""
    evidence = () if at is None else (evidence_at("word", at),)
    return Relationship(Edge(source, relation, target), ("test",), evidence)


def evidence_at(words_: str, start: int, rank: int = 0) -> EdgeEvidence:
    return EdgeEvidence("source.md", 1, start, start + len(words_), rank, words_)


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """A chunk's text and direction."""

    text: str
    meaning: Meaning = NORTH


@dataclass(frozen=True, slots=True)
class Part:
    """A section (`#slug`) or symbol (`::name`), with its chunks and the parts in it."""

    suffix: str
    chunks: tuple[ChunkSpec, ...] = ()
    meaning: Meaning = NORTH
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SampleDocument:
    """A document as a store has it."""

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
    """Writes a document's chunks one after another, each on a line."""

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
        for chunk in part.chunks:
            self._chunk(node, () if parent is None else (title,), chunk)
        for inner in part.parts:
            name = inner.suffix.lstrip("#:").rpartition(".")[2]
            inner_kind = SECTION if inner.suffix.startswith("#") else "function"
            self.node(self.id + inner.suffix, inner_kind, name, node, inner)
        whole = replace(self._here(start, first), last_line=max(first, self.lines - 1))
        self.nodes[at] = replace(self.nodes[at], source=whole)

    def _chunk(self, node: str, path: tuple[str, ...], chunk: ChunkSpec) -> None:
        start, first = len(self.text), self.lines
        self.text += chunk.text
        here = self._here(start, first)
        position = len(self.chunks)
        self.chunks.append(Chunk(chunk_id(node, position), node, position, path, chunk.text, here))
        self.chunk_vectors.append(vector(chunk.meaning))
        self.text += "\n"
        self.lines += chunk.text.count("\n") + 1

    def _here(self, start: int, first_line: int) -> Location:
        return Location(path_of(self.id), first_line, self.lines, start, len(self.text))


def document(
    node: str, *chunks: ChunkSpec | str, meaning: Meaning = NORTH, parts: tuple[Part, ...] = ()
) -> SampleDocument:
    """Kind `code` when the path ends in .py; the title is the path."""
    specs = tuple(ChunkSpec(p, meaning) if isinstance(p, str) else p for p in chunks)
    writer = _Writer(node)
    kind = CODE if node.endswith(".py") else DOCUMENT
    writer.node(node, kind, path_of(node), None, Part("", specs, meaning, parts))
    return SampleDocument(
        writer.text,
        tuple(writer.nodes),
        tuple(writer.node_vectors),
        tuple(writer.chunks),
        tuple(writer.chunk_vectors),
    )


def roots(ids: Iterable[str]) -> set[str]:
    return {document_of(node) for node in ids}
