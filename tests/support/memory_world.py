"""A small store in memory with the reads of the ports; hidden documents are left out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.digest import digest
from docgraph.model.edge import CONTAINS, RELATIONS, Relationship
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.errors import NotPlanned
from docgraph.model.evidence import ChunkScore, Concept, EvidenceChunk
from docgraph.model.link import EdgeCandidates, candidates_of
from docgraph.model.node import DocumentNode, Location, document_of, repository_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import ReferenceCount
from docgraph.model.scoring import Bm25, ChunkLengths, Ints, RowGroups, score_owners
from docgraph.model.snapshot import Scope, SnapshotName
from docgraph.model.tokenize import tokenize
from docgraph.model.vector import IntVector
from docgraph.ports.graph_reads import Direction
from docgraph.ports.search_reads import Level
from tests.support.sample_documents import EMBEDDER, SampleDocument


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Documents, edges and names. `hidden` documents exist and may not be seen.

    `rules` tell the labels and levels of documents that have any, `snapshots` the numbers of those
    that brought them.
    """

    documents: tuple[SampleDocument, ...] = ()
    edges: tuple[Relationship, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    hidden: frozenset[str] = frozenset()
    rules: Mapping[str, AccessRule] = field(default_factory=dict)
    snapshots: Mapping[str, int] = field(default_factory=dict)

    @property
    def visible(self) -> tuple[SampleDocument, ...]:
        return tuple(held for held in self.documents if held.id not in self.hidden)

    @property
    def nodes(self) -> dict[str, DocumentNode]:
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

    @property
    def embeddings(self) -> EmbeddingState:
        """Everything has its vectors."""
        documents = len(self.visible)
        chunks = sum(len(held.chunks) for held in self.visible)
        return EmbeddingState(documents, documents, documents, chunks, chunks)

    def counts(self) -> dict[str, int]:
        return {"documents": len(self.visible)}

    def versions(self) -> dict[str, str]:
        return {held.id: digest(held.text) for held in self.visible}

    def contents(self) -> Iterator[tuple[str, str]]:
        for held in sorted(self.visible, key=lambda found: found.id):
            yield held.id, digest((held.text, held.nodes, held.chunks))


def world(
    *documents: SampleDocument,
    edges: Iterable[Relationship] = (),
    names: Iterable[tuple[str, str]] = (),
    hidden: Iterable[str] = (),
    rules: Mapping[str, AccessRule] | None = None,
    snapshots: Mapping[str, int] | None = None,
) -> World:
    return World(
        documents, tuple(edges), tuple(names), frozenset(hidden), rules or {}, snapshots or {}
    )


class MemorySearch:
    """Handles count hidden rows too, so that nothing can depend on them."""

    exact = True

    def __init__(self, world_: World) -> None:
        self._world = world_
        self.embeddings = world_.embeddings
        self._ids = [node.id for held in world_.documents for node in held.nodes]

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        best: dict[str, int] = {}
        for held in self._world.visible:
            for node, row in self._rows(held, over):
                owner = held.id if roll_up else node
                dot = _dot(vector, row)
                best[owner] = max(dot, best.get(owner, dot))
        return tuple(sorted(best.items(), key=lambda item: (-item[1], item[0]))[:top])

    def _rows(self, held: SampleDocument, over: Level) -> Iterable[tuple[str, IntVector]]:
        if over == "chunks":
            return zip((c.node for c in held.chunks), held.chunk_vectors, strict=True)
        rows = zip((node.id for node in held.nodes), held.node_vectors, strict=True)
        return [row for row in rows if over == "sections" or row[0] == held.id]

    def node_similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        return {
            node.id: _dot(vector, row)
            for held in self._world.visible
            for node, row in zip(held.nodes, held.node_vectors, strict=True)
            if node.id in ids
        }

    def best_chunk_similarities(
        self, vector: tuple[int, ...], ids: tuple[str, ...], *, roll_up: bool
    ) -> dict[str, int]:
        found = dict(self.nearest(vector, over="chunks", roll_up=roll_up, top=10_000))
        return {node: found[node] for node in ids if node in found}

    def lexical(
        self, terms: tuple[str, ...], *, roll_up: bool, pool: int, bm25: Bm25
    ) -> tuple[tuple[str, float], ...]:
        rows = [
            (self._ids.index(held.id if roll_up else chunk.node), tokenize(chunk.text))
            for held in self._world.visible
            for chunk in held.chunks
        ]
        lengths = ChunkLengths.of(_numbers(len(words) for _, words in rows))
        lists = []
        for term in terms:
            positions = _numbers(at for at, (_, words) in enumerate(rows) if term in words)
            frequencies = _numbers(rows[at][1].count(term) for at in positions.tolist())
            lists.append((positions, bm25.weights(positions, frequencies, lengths)))
        owners, scores = score_owners(lists, RowGroups(_numbers(owner for owner, _ in rows)))
        names = [self._ids[handle] for handle in owners.tolist()]
        ranked = sorted(zip((-scores).tolist(), names, strict=True))
        return tuple((node, -score) for score, node in ranked[:pool])

    def documents_titled(self, titles: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        held = ((document.nodes[0].title, document.id) for document in self._world.visible)
        return tuple(sorted(pair for pair in held if pair[0] in titles))

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        nodes = self._world.nodes
        return tuple(sorted(n for n in self._world.names if n[0] in names and n[1] in nodes))

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        return {node.id: node.kind for node in self._world.nodes.values() if node.id in ids}

    def ingestions(self, ids: tuple[str, ...]) -> dict[str, SnapshotName]:
        """Of snapshot 1, unless the world says otherwise."""
        return {
            node: SnapshotName(
                repository_of(node), "main", self._world.snapshots.get(document_of(node), 1)
            )
            for node in self._world.nodes
            if node in ids
        }


class MemoryGraph:
    def __init__(self, world_: World) -> None:
        self._world = world_

    def candidates(
        self,
        documents: tuple[str, ...],
        relations: frozenset[str] | None = None,
        sources: frozenset[str] | None = None,
    ) -> tuple[EdgeCandidates, ...]:
        """All, whatever the sources."""
        found = self.edges(tuple(map(document_of, documents)), "out", relations)
        return tuple(candidate for one in found for candidate in candidates_of(one))

    def inside(self, nodes: tuple[str, ...]) -> frozenset[str]:
        return frozenset(node for node in self._world.nodes if self._inside(node, frozenset(nodes)))

    def edges(
        self,
        nodes: tuple[str, ...],
        direction: Direction = "out",
        relations: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        return tuple(
            found
            for found in self.all_edges(relations)
            if self._inside(
                found.edge.source if direction == "out" else found.edge.target, frozenset(nodes)
            )
        )

    def _inside(self, node: str | None, holders: frozenset[str]) -> bool:
        while node is not None and node not in holders:
            node = self._world.nodes[node].parent
        return node is not None

    def all_edges(self, relations: frozenset[str] | None = None) -> tuple[Relationship, ...]:
        nodes = self._world.nodes
        followed = frozenset(RELATIONS) - {CONTAINS} if relations is None else relations
        return tuple(
            sorted(
                found
                for found in self._world.edges
                if found.edge.source in nodes
                and found.edge.target in nodes
                and found.edge.relation in followed
            )
        )

    def edge_batches(
        self, relations: frozenset[str] | None = None
    ) -> Iterator[tuple[str, tuple[Relationship, ...]]]:
        """A batch of each document."""
        for root in sorted({document_of(node) for node in self._world.nodes}):
            found = self.all_edges(relations)
            yield root, tuple(one for one in found if document_of(one.edge.source) == root)

    def visible_ids(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(node for node in ids if node in self._world.nodes)

    def reference_counts(self) -> tuple[ReferenceCount, ...]:
        return ()

    def unresolved_calls(self) -> int:
        return 0


class MemoryTexts:
    def __init__(self, world_: World, plan: RetrievalPlan) -> None:
        self._world = world_
        self._plan = plan

    def _held(self, node: str) -> tuple[SampleDocument, DocumentNode] | None:
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
                kind=node.kind,
                title=node.title,
                summary=node.summary,
                location=node.source,
                access="readable by group local",
                labels=self._world.rules.get(held.id, LOCAL_ONLY).labels,
                level=self._world.rules.get(held.id, LOCAL_ONLY).level,
            )
            for held, node in filter(None, map(self._held, nodes))
        )

    def chunk_scores(self, node: str) -> tuple[ChunkScore, ...]:
        found = self._held(node)
        if found is None:
            return ()
        held, holder = found
        query = self._plan.query_vector
        return tuple(
            ChunkScore(
                chunk.id,
                chunk.node,
                chunk.position,
                _dot(query, row) if query else None,
                len(chunk.text),
            )
            for chunk, row in zip(held.chunks, held.chunk_vectors, strict=True)
            if _lies_in(chunk.location, holder.source)
        )

    def chunks(self, scores: tuple[ChunkScore, ...]) -> tuple[EvidenceChunk, ...]:
        return tuple(self._read_chunk(score) for score in scores)

    def _read_chunk(self, score: ChunkScore) -> EvidenceChunk:
        for held, holder in filter(None, map(self._held, self._plan.order)):
            for chunk in held.chunks:
                if chunk.id == score.id and _lies_in(chunk.location, holder.source):
                    return EvidenceChunk(
                        chunk.id,
                        chunk.node,
                        chunk.heading_path,
                        chunk.text,
                        chunk.location,
                        score.similarity,
                    )
        raise NotPlanned(f"{score.id} lies in no planned node")

    def full_texts(self, nodes: tuple[str, ...]) -> tuple[EvidenceChunk, ...]:
        return tuple(
            EvidenceChunk(
                node.id,
                node.id,
                (),
                held.text[node.source.start : node.source.end],
                node.source,
                None,
            )
            for held, node in filter(None, map(self._held, nodes))
        )


def _numbers(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def _dot(query: tuple[int, ...], row: IntVector) -> int:
    return int(np.array(query, dtype=np.int64) @ row.astype(np.int64))


def _lies_in(inner: Location, outer: Location) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
