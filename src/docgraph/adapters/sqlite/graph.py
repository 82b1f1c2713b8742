"""GraphReads on SQLite: edges whose both ends are visible."""

import json
import sqlite3
from collections.abc import Iterable

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.model.edge import Edge, Evidence, Relationship
from docgraph.model.identity import document_of
from docgraph.ports.graph_reads import Direction

_SQL = named_queries(PACKAGE, "reads.sql")
Row = tuple[str, str, str, str, str]


class SqliteGraph:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def edges(
        self, nodes: tuple[str, ...], direction: Direction = "out"
    ) -> tuple[Relationship, ...]:
        documents = sorted({document_of(node) for node in nodes})
        query = _SQL["edges_out" if direction == "out" else "edges_in"]
        rows = self._connection.execute(query, {"documents": json.dumps(documents)}).fetchall()
        found = merged(rows)
        partial = [node for node in nodes if document_of(node) not in nodes]
        if not partial:
            return found
        inside = self._inside(nodes, documents)
        return tuple(
            relationship
            for relationship in found
            if (relationship.edge.source if direction == "out" else relationship.edge.target)
            in inside
        )

    def _inside(self, nodes: tuple[str, ...], documents: list[str]) -> frozenset[str]:
        """These nodes and every node below them."""
        rows = self._connection.execute(
            _SQL["parents_in_documents"], {"documents": json.dumps(documents)}
        )
        parents: dict[str, str | None] = dict(rows.fetchall())
        wanted = set(nodes)

        def held(node: str | None) -> bool:
            while node is not None and node not in wanted:
                node = parents.get(node)
            return node is not None

        return frozenset(node for node in parents if held(node))

    def listed(self) -> tuple[Relationship, ...]:
        return merged(self._connection.execute(_SQL["edges_listed"]).fetchall())

    def present(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        rows = self._connection.execute(_SQL["kinds_of_nodes"], {"ids": json.dumps(ids)})
        visible = dict(rows.fetchall())
        return tuple(node for node in ids if node in visible)


def merged(rows: Iterable[Row]) -> tuple[Relationship, ...]:
    """One relationship per edge; hand-made and mined rows of it are told together."""
    found: dict[Edge, Relationship] = {}
    for source, relation, target, origins, evidence in rows:
        edge = Edge(source, relation, target)
        known = found.get(edge, Relationship(edge, (), ()))
        places = tuple(Evidence(*place) for place in json.loads(evidence))
        found[edge] = Relationship(
            edge,
            tuple(sorted({*known.origins, *json.loads(origins)})),
            tuple(sorted({*known.evidence, *places})),
        )
    return tuple(found[edge] for edge in sorted(found))
