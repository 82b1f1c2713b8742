"""TextReads: the text of planned, visible nodes and of nothing else."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from docgraph.adapters.indexes.segments import Ints
from docgraph.adapters.sql.database import Queries, single_row
from docgraph.adapters.sql.stored_json import load_values
from docgraph.adapters.sql.visibility import Visibility
from docgraph.model.errors import NotPlanned
from docgraph.model.evidence import ChunkScore, Concept, EvidenceChunk
from docgraph.model.node import Location, document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.ports.indexes import CHUNK_ROWS

# Of a vector, a text and versions: the products and the lexical scores of their chunks, by row.
ScoreChunks = Callable[[tuple[int, ...], str, Ints], tuple[dict[int, int], dict[int, float]]]


class ChunkRow(NamedTuple):
    id: str
    node: str
    heading_path: str
    first_line: int
    last_line: int
    start: int
    stop: int
    page: int | None


class PlannedNode(NamedTuple):
    """A row of the query `nodes_by_id`."""

    id: str
    document: int
    kind: str
    title: str
    summary: str
    first_line: int
    last_line: int
    start: int
    stop: int
    page: int | None
    document_id: str
    path: str

    def contains(self, chunk: ChunkRow) -> bool:
        return self.start <= chunk.start and chunk.stop <= self.stop


class SqlTexts:
    def __init__(
        self, sql: Queries, visible: Visibility, plan: RetrievalPlan, score: ScoreChunks
    ) -> None:
        self._sql = sql
        self._visible = visible
        self._plan = plan
        self._score = score
        self._nodes: dict[str, PlannedNode] = {}
        self._texts: dict[int, str] = {}

    def _node(self, node: str) -> PlannedNode | None:
        if node not in self._plan.nodes:
            raise NotPlanned(f"{node} is not in the plan")
        if not self._nodes:
            rows = self._sql.rows("nodes_by_id", ids=list(self._plan.order))
            self._nodes = {row.id: row for row in map(PlannedNode._make, rows)}
        return self._nodes.get(node)

    def _text(self, document: int) -> str:
        if document not in self._texts:
            row = self._sql.row("text_of_version", version=document)
            self._texts[document] = single_row(row)[0]
        return self._texts[document]

    def concepts(self, nodes: tuple[str, ...]) -> tuple[Concept, ...]:
        rows = map(self._node, nodes)
        return tuple(self._concept(row) for row in rows if row is not None)

    def _concept(self, row: PlannedNode) -> Concept:
        rows = self._visible.rows
        rule = rows.rule_of(row.document)
        return Concept(
            id=row.id,
            kind=row.kind,
            title=row.title,
            summary=row.summary,
            location=_location(row.path, row),
            access=self._visible.read_reason(row.document),
            labels=rule.labels,
            level=rule.level,
        )

    def chunk_scores(self, node: str) -> tuple[ChunkScore, ...]:
        row = self._node(node)
        if row is None:
            return ()
        return tuple(
            ChunkScore(
                id=chunk.id,
                node=chunk.node,
                position=position,
                similarity=self._products.get(row.document * CHUNK_ROWS + position),
                lexical=self._lexical.get(row.document * CHUNK_ROWS + position, 0.0),
                size=chunk.stop - chunk.start,
            )
            for position, chunk in self._chunks[row.document].items()
            if row.contains(chunk)
        )

    @cached_property
    def _chunks(self) -> dict[int, dict[int, ChunkRow]]:
        """By document and position: those of all planned documents."""
        documents: dict[int, dict[int, ChunkRow]]
        documents = {row.document: {} for rows in self._planned.values() for row in rows}
        rows = self._sql.rows("chunks_of_versions", versions=sorted(documents))
        for document, position, *columns in rows:
            documents[document][position] = ChunkRow._make(columns)
        return documents

    @cached_property
    def _scores(self) -> tuple[dict[int, int], dict[int, float]]:
        plan, versions = self._plan, np.array(sorted(self._chunks), dtype=np.int64)
        if not plan.question:
            return {}, {}
        return self._score(plan.query_vector, plan.question, versions)

    @property
    def _products(self) -> dict[int, int]:
        return self._scores[0]

    @property
    def _lexical(self) -> dict[int, float]:
        return self._scores[1]

    def chunks(self, scores: tuple[ChunkScore, ...]) -> tuple[EvidenceChunk, ...]:
        return tuple(self._chunk(score) for score in scores)

    def _chunk(self, score: ChunkScore) -> EvidenceChunk:
        """A chunk that lies in no planned node is refused."""
        for node in self._planned.get(document_of(score.node), ()):
            row = self._chunks[node.document].get(score.position)
            if row is not None and node.contains(row):
                return EvidenceChunk(
                    id=row.id,
                    node=row.node,
                    heading_path=tuple(load_values(row.heading_path, str)),
                    text=self._text(node.document)[row.start : row.stop],
                    location=_location(node.path, row),
                    similarity=score.similarity,
                )
        raise NotPlanned(f"{score.id} lies in no planned node")

    @cached_property
    def _planned(self) -> dict[str, list[PlannedNode]]:
        """Planned nodes by their document, in the plan's order."""
        nodes: dict[str, list[PlannedNode]] = {}
        for row in filter(None, map(self._node, self._plan.order)):
            nodes.setdefault(row.document_id, []).append(row)
        return nodes

    def full_texts(self, nodes: tuple[str, ...]) -> tuple[EvidenceChunk, ...]:
        rows = ((node, self._node(node)) for node in nodes)
        return tuple(
            EvidenceChunk(
                id=node,
                node=node,
                heading_path=(),
                text=self._text(row.document)[row.start : row.stop],
                location=_location(row.path, row),
                similarity=None,
            )
            for node, row in rows
            if row is not None
        )


def _location(path: str, row: PlannedNode | ChunkRow) -> Location:
    return Location(
        path=path,
        first_line=row.first_line,
        last_line=row.last_line,
        start=row.start,
        end=row.stop,
        page=row.page,
    )
