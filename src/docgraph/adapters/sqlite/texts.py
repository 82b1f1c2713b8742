"""TextReads on SQLite: the text of planned, visible nodes and nothing else."""

import json
import sqlite3

import numpy as np

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.segment import unpack
from docgraph.adapters.sqlite.visible import Visible
from docgraph.model.errors import NotPlanned
from docgraph.model.evidence import Concept, Passage, PassageScore
from docgraph.model.identity import document_of
from docgraph.model.node import Location
from docgraph.model.plan import RetrievalPlan

_SQL = named_queries(PACKAGE, "reads.sql")


class SqliteTexts:
    def __init__(
        self, connection: sqlite3.Connection, visible: Visible, plan: RetrievalPlan
    ) -> None:
        self._connection = connection
        self._visible = visible
        self._plan = plan
        self._query = np.array(plan.query_vector, dtype=np.int64)
        self._nodes: dict[str, sqlite3.Row] = {}
        self._texts: dict[int, str] = {}

    def _node(self, node: str) -> sqlite3.Row | None:
        if node not in self._plan.nodes:
            raise NotPlanned(f"{node} is not in the plan")
        if not self._nodes:
            cursor = self._connection.cursor()
            cursor.row_factory = sqlite3.Row
            rows = cursor.execute(_SQL["nodes_by_id"], {"ids": json.dumps(self._plan.order)})
            self._nodes = {row["id"]: row for row in rows}
        return self._nodes.get(node)

    def _text(self, document: int) -> str:
        if document not in self._texts:
            row = self._connection.execute(_SQL["text_of_document"], {"document": document})
            self._texts[document] = row.fetchone()[0]
        return self._texts[document]

    def concepts(self, nodes: tuple[str, ...]) -> tuple[Concept, ...]:
        found = ((node, self._node(node)) for node in nodes)
        return tuple(self._concept(row) for _, row in found if row is not None)

    def _concept(self, row: sqlite3.Row) -> Concept:
        rows = self._visible.rows
        rule = rows.rules[int(rows.access[row["document"]])]
        return Concept(
            id=row["id"],
            document=row["document_id"],
            kind=row["kind"],
            title=row["title"],
            summary=row["summary"],
            location=_location(row["path"], row),
            access=self._visible.grounds(row["document"]),
            labels=rule.labels,
            level=rule.level,
        )

    def scores(self, node: str) -> tuple[PassageScore, ...]:
        row = self._node(node)
        if row is None:
            return ()
        chunks = self._connection.execute(
            _SQL["chunks_in_span"],
            {"document": row["document"], "start": row["start"], "stop": row["stop"]},
        )
        return tuple(
            PassageScore(
                id=name,
                node=owner,
                position=position,
                similarity=int(unpack(vector, np.int16) @ self._query) if self._asked else None,
                size=stop - start,
            )
            for name, owner, position, start, stop, vector in chunks
        )

    @property
    def _asked(self) -> bool:
        return len(self._query) > 0

    def passages(self, scores: tuple[PassageScore, ...]) -> tuple[Passage, ...]:
        return tuple(self._passage(score) for score in scores)

    def _passage(self, score: PassageScore) -> Passage:
        """A chunk that lies in no planned node is refused."""
        for planned in self._plan.order:
            holder = (
                self._node(planned) if document_of(planned) == document_of(score.node) else None
            )
            row = self._chunk(holder, score.position) if holder is not None else None
            if holder is not None and row is not None:
                return Passage(
                    id=row["id"],
                    node=row["node"],
                    heading_path=tuple(json.loads(row["heading_path"])),
                    text=self._text(holder["document"])[row["start"] : row["stop"]],
                    location=_location(holder["path"], row),
                    similarity=score.similarity,
                )
        raise NotPlanned(f"{score.id} lies in no planned node")

    def _chunk(self, holder: sqlite3.Row, position: int) -> sqlite3.Row | None:
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        found: sqlite3.Row | None = cursor.execute(
            _SQL["chunk_at"],
            {
                "document": holder["document"],
                "position": position,
                "start": holder["start"],
                "stop": holder["stop"],
            },
        ).fetchone()
        return found

    def whole(self, nodes: tuple[str, ...]) -> tuple[Passage, ...]:
        found = ((node, self._node(node)) for node in nodes)
        return tuple(
            Passage(
                id=node,
                node=node,
                heading_path=(),
                text=self._text(row["document"])[row["start"] : row["stop"]],
                location=_location(row["path"], row),
                similarity=None,
            )
            for node, row in found
            if row is not None
        )


def _location(path: str, row: sqlite3.Row) -> Location:
    return Location(
        path=path,
        first_line=row["first_line"],
        last_line=row["last_line"],
        start=row["start"],
        end=row["stop"],
        page=row["page"],
    )
