"""A small world in memory, and the windows of the ports onto it. What is hidden is not there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from docgraph.model.chunk import Chunk
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.errors import NotPlanned
from docgraph.model.evidence import Concept, Passage, PassageScore
from docgraph.model.identity import chunk_id, document_of, path_of
from docgraph.model.node import CODE, DOCUMENT, SECTION, Location, Node
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.scope import Scope
from docgraph.model.seeds import Seed, Seeds
from docgraph.model.vector import IntVector, to_integers
from docgraph.model.words import words
from docgraph.ports.graph_reads import Direction
from docgraph.ports.search_reads import Handles, Over, Postings, TermPostings

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


def edge(
    source: str, target: str, relation: str = "references", at: int | None = None
) -> Relationship:
    """An edge said at a place in the source's text; without a place it is nobody's claim."""
    places = () if at is None else (said("word", at),)
    return Relationship(Edge(source, relation, target), ("test",), places)


def said(words_: str, start: int, rank: int = 0) -> Evidence:
    return Evidence("source.md", 1, start, start + len(words_), rank, words_)


@dataclass(frozen=True, slots=True)
class Said:
    """A passage and what it means."""

    text: str
    meaning: Meaning = NORTH


@dataclass(frozen=True, slots=True)
class Part:
    """A section (`#slug`) or symbol (`::name`), with its passages and what it encloses."""

    suffix: str
    said: tuple[Said, ...] = ()
    meaning: Meaning = NORTH
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A document as a store would hold it."""

    text: str
    nodes: tuple[Node, ...]
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
    nodes: list[Node] = field(default_factory=list)
    node_vectors: list[IntVector] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    chunk_vectors: list[IntVector] = field(default_factory=list)

    def node(self, node: str, kind: str, title: str, parent: str | None, part: Part) -> None:
        at, start, first = len(self.nodes), len(self.text), self.lines
        self.nodes.append(
            Node(node, kind, title, f"Summary of {title}.", parent, self._here(start, first))
        )
        self.node_vectors.append(vector(part.meaning))
        for passage in part.said:
            self._chunk(node, () if parent is None else (title,), passage)
        for inner in part.parts:
            name = inner.suffix.lstrip("#:").rpartition(".")[2]
            inner_kind = SECTION if inner.suffix.startswith("#") else "function"
            self.node(self.id + inner.suffix, inner_kind, name, node, inner)
        whole = replace(self._here(start, first), last_line=max(first, self.lines - 1))
        self.nodes[at] = replace(self.nodes[at], source=whole)

    def _chunk(self, node: str, path: tuple[str, ...], passage: Said) -> None:
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
    node: str, *passages: Said | str, meaning: Meaning = NORTH, parts: tuple[Part, ...] = ()
) -> Held:
    """Kind `code` when the path ends in .py; the title is the path."""
    told = tuple(Said(p, meaning) if isinstance(p, str) else p for p in passages)
    writer = _Writer(node)
    kind = CODE if node.endswith(".py") else DOCUMENT
    writer.node(node, kind, path_of(node), None, Part("", told, meaning, parts))
    return Held(
        writer.text,
        tuple(writer.nodes),
        tuple(writer.node_vectors),
        tuple(writer.chunks),
        tuple(writer.chunk_vectors),
    )


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Documents, edges and names. `hidden` documents exist and may not be seen."""

    documents: tuple[Held, ...] = ()
    edges: tuple[Relationship, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    hidden: frozenset[str] = frozenset()

    @property
    def visible(self) -> tuple[Held, ...]:
        return tuple(held for held in self.documents if held.id not in self.hidden)

    @property
    def nodes(self) -> dict[str, Node]:
        return {node.id: node for held in self.visible for node in held.nodes}

    @property
    def search(self) -> "MemorySearch":
        return MemorySearch(self)

    @property
    def graph(self) -> "MemoryGraph":
        return MemoryGraph(self)

    def texts(self, plan: RetrievalPlan) -> "MemoryTexts":
        return MemoryTexts(self, plan)

    @property
    def scope(self) -> Scope:
        return Scope(())

    @property
    def embedder(self) -> EmbedderIdentity | None:
        return EMBEDDER if self.visible else None

    def counts(self) -> dict[str, int]:
        return {"documents": len(self.visible)}


def world(
    *documents: Held,
    edges: Iterable[Relationship] = (),
    names: Iterable[tuple[str, str]] = (),
    hidden: Iterable[str] = (),
) -> World:
    return World(documents, tuple(edges), tuple(names), frozenset(hidden))


class MemorySearch:
    """Handles count hidden rows too, so that nothing can depend on them."""

    def __init__(self, world_: World) -> None:
        self._world = world_
        self._ids = [node.id for held in world_.documents for node in held.nodes]

    def nearest(
        self, vector: tuple[int, ...], *, over: Over, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        best: dict[str, int] = {}
        for held in self._world.visible:
            for node, row in self._rows(held, over):
                owner = held.id if roll_up else node
                dot = _dot(vector, row)
                best[owner] = max(dot, best.get(owner, dot))
        return tuple(sorted(best.items(), key=lambda item: (-item[1], item[0]))[:top])

    def _rows(self, held: Held, over: Over) -> Iterable[tuple[str, IntVector]]:
        if over == "passages":
            return zip((c.node for c in held.chunks), held.chunk_vectors, strict=True)
        rows = zip((node.id for node in held.nodes), held.node_vectors, strict=True)
        return [row for row in rows if over == "sections" or row[0] == held.id]

    def similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        return {
            node.id: _dot(vector, row)
            for held in self._world.visible
            for node, row in zip(held.nodes, held.node_vectors, strict=True)
            if node.id in ids
        }

    def postings(self, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        rows = [
            (handle, self._ids.index(held.id if roll_up else chunk.node), words(chunk.text))
            for handle, (held, chunk) in enumerate(
                (held, chunk) for held in self._world.documents for chunk in held.chunks
            )
            if held.id not in self._world.hidden
        ]
        found = []
        for term in terms:
            holding = [row for row in rows if term in row[2]]
            if holding:
                found.append(
                    TermPostings(
                        term,
                        _handles(row[0] for row in holding),
                        _handles(row[1] for row in holding),
                        _handles(row[2].count(term) for row in holding),
                        _handles(len(row[2]) for row in holding),
                    )
                )
        return Postings(len(rows), sum(len(row[2]) for row in rows), tuple(found))

    def names(self, owners: Handles) -> list[str]:
        return [self._ids[handle] for handle in owners.tolist()]

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        nodes = self._world.nodes
        return tuple(sorted(n for n in self._world.names if n[0] in names and n[1] in nodes))

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        return {node.id: node.kind for node in self._world.nodes.values() if node.id in ids}


class MemoryGraph:
    def __init__(self, world_: World) -> None:
        self._world = world_

    def edges(
        self, nodes: tuple[str, ...], direction: Direction = "out"
    ) -> tuple[Relationship, ...]:
        return tuple(
            found
            for found in self.listed()
            if self._inside(
                found.edge.source if direction == "out" else found.edge.target, frozenset(nodes)
            )
        )

    def _inside(self, node: str | None, holders: frozenset[str]) -> bool:
        while node is not None and node not in holders:
            node = self._world.nodes[node].parent
        return node is not None

    def listed(self) -> tuple[Relationship, ...]:
        nodes = self._world.nodes
        return tuple(
            sorted(
                found
                for found in self._world.edges
                if found.edge.source in nodes and found.edge.target in nodes
            )
        )

    def present(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(node for node in ids if node in self._world.nodes)


class MemoryTexts:
    def __init__(self, world_: World, plan: RetrievalPlan) -> None:
        self._world = world_
        self._plan = plan

    def _held(self, node: str) -> tuple[Held, Node] | None:
        if node not in self._plan.nodes:
            raise NotPlanned(f"{node} is not in the plan")
        for held in self._world.visible:
            for found in held.nodes:
                if found.id == node:
                    return held, found
        return None

    def concepts(self, nodes: tuple[str, ...]) -> tuple[Concept, ...]:
        return tuple(
            Concept(
                id=node.id,
                document=held.id,
                kind=node.kind,
                title=node.title,
                summary=node.summary,
                location=node.source,
                access="readable by group local",
            )
            for held, node in filter(None, map(self._held, nodes))
        )

    def scores(self, node: str) -> tuple[PassageScore, ...]:
        found = self._held(node)
        if found is None:
            return ()
        held, holder = found
        query = self._plan.query_vector
        return tuple(
            PassageScore(
                chunk.id,
                chunk.node,
                chunk.position,
                _dot(query, row) if query else None,
                len(chunk.text),
            )
            for chunk, row in zip(held.chunks, held.chunk_vectors, strict=True)
            if _lies_in(chunk.location, holder.source)
        )

    def passages(self, scores: tuple[PassageScore, ...]) -> tuple[Passage, ...]:
        return tuple(self._passage(score) for score in scores)

    def _passage(self, score: PassageScore) -> Passage:
        for held, holder in filter(None, map(self._held, self._plan.order)):
            for chunk in held.chunks:
                if chunk.id == score.id and _lies_in(chunk.location, holder.source):
                    return Passage(
                        chunk.id,
                        chunk.node,
                        chunk.heading_path,
                        chunk.text,
                        chunk.location,
                        score.similarity,
                    )
        raise NotPlanned(f"{score.id} lies in no planned node")

    def whole(self, nodes: tuple[str, ...]) -> tuple[Passage, ...]:
        return tuple(
            Passage(
                node.id,
                node.id,
                (),
                held.text[node.source.start : node.source.end],
                node.source,
                None,
            )
            for held, node in filter(None, map(self._held, nodes))
        )


@dataclass(frozen=True, slots=True)
class CountsWords:
    """A word is a token."""

    name: str = "words"

    def count(self, text: str) -> int:
        return len(text.split())


@dataclass(frozen=True, slots=True)
class CountsLetters:
    """A character is a token; each blank line costs three more once it stands between others."""

    name: str = "letters"
    blank: int = 0

    def count(self, text: str) -> int:
        return len(text) + self.blank * text.strip().count("\n\n")


@dataclass(frozen=True, slots=True)
class Prefers:
    """A reranker that has made up its mind."""

    opinions: Mapping[str, float]
    name: str = "opinionated"

    def scores(self, question: str, ids: tuple[str, ...]) -> dict[str, float]:
        return {node: self.opinions[node] for node in ids if node in self.opinions}


@dataclass(frozen=True, slots=True)
class LikesLongTexts:
    """A rerank model."""

    name: str = "long is good"

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]


def _handles(values: Iterable[int]) -> Handles:
    return np.array(list(values), dtype=np.int64)


def _dot(query: tuple[int, ...], row: IntVector) -> int:
    return int(np.array(query, dtype=np.int64) @ row.astype(np.int64))


def _lies_in(inner: Location, outer: Location) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def roots(ids: Iterable[str]) -> set[str]:
    return {document_of(node) for node in ids}
