"""GraphReads: references are joined with definitions; an edge is visible when both ends are."""

from collections.abc import Collection, Iterator

from docgraph.adapters.sql.database import DamagedRow, Queries
from docgraph.adapters.sql.reference_reads import ReferenceReads
from docgraph.adapters.sql.stored_json import load_tuples, load_values
from docgraph.model.edge import (
    CONTAINS,
    INVERSES,
    RELATIONS,
    SHARES_ENTITY,
    STRUCTURE,
    Edge,
    EdgeEvidence,
    Relationship,
)
from docgraph.model.link import (
    MAX_NAME_HOLDERS,
    EdgeCandidates,
    NameHolder,
    candidates_of,
    edges_of,
    inverse_edges_of,
    merge_edges,
    shared_name_edges,
)
from docgraph.model.node import document_of
from docgraph.model.reference import ReferenceCount
from docgraph.ports.graph_reads import Direction

_DEFAULT = frozenset(RELATIONS) - {CONTAINS}
_BATCH = 50  # documents whose edges are in memory at once


class SqlGraph:
    def __init__(self, sql: Queries) -> None:
        self._sql = sql
        self._references = ReferenceReads(sql)

    def candidates(
        self,
        documents: tuple[str, ...],
        relations: frozenset[str] | None = None,
        sources: frozenset[str] | None = None,
    ) -> tuple[EdgeCandidates, ...]:
        roots, versions = self._versions(documents)
        selected = _DEFAULT if relations is None else relations
        found = [
            EdgeCandidates(group.source, group.relation, group.targets, group.spans)
            for group in self._references.leaving(versions, selected, sources)
            if group.targets
        ]
        for relationship in self._other_edges(versions, roots, "out", selected):
            found += candidates_of(relationship)
        _require_inside({one.source for one in found}, roots)
        return tuple(found)

    def edges(
        self,
        nodes: tuple[str, ...],
        direction: Direction = "out",
        relations: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        roots, versions = self._versions(nodes)
        selected = _DEFAULT if relations is None else relations
        found = merge_edges(self._edges(versions, roots, direction, selected))
        at = 0 if direction == "out" else 1
        _require_inside({(one.edge.source, one.edge.target)[at] for one in found}, roots)
        if all(document_of(node) in nodes for node in nodes):
            return found
        inside = self.inside(nodes)
        return tuple(f for f in found if (f.edge.source, f.edge.target)[at] in inside)

    def edge_batches(
        self, relations: frozenset[str] | None = None
    ) -> Iterator[tuple[str, tuple[Relationship, ...]]]:
        selected = _DEFAULT if relations is None else relations
        rows = self._sql.rows("visible_documents")
        for at in range(0, len(rows), _BATCH):
            versions, roots = (list(column) for column in zip(*rows[at : at + _BATCH], strict=True))
            yield roots[0], merge_edges(self._edges(versions, roots, "out", selected))

    def inside(self, nodes: tuple[str, ...]) -> frozenset[str]:
        roots = sorted({document_of(node) for node in nodes})
        parents: dict[str, str | None] = dict(
            self._sql.rows("parents_in_documents", documents=roots)
        )
        roots_of_subtrees = set(nodes)

        def is_inside(node: str | None) -> bool:
            for _ in range(len(parents) + 1):
                if node is None or node in roots_of_subtrees:
                    return node is not None
                node = parents.get(node)
            raise DamagedRow("a node lies inside itself")

        return frozenset(node for node in parents if is_inside(node))

    def visible_ids(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        visible: dict[str, str] = dict(self._sql.rows("kinds_of_nodes", ids=ids))
        return tuple(node for node in ids if node in visible)

    def reference_counts(self) -> tuple[ReferenceCount, ...]:
        return tuple(ReferenceCount(*row) for row in self._sql.rows("count_references"))

    def unresolved_calls(self) -> int:
        ((count,),) = self._sql.rows("count_unresolved_calls")
        return int(count)

    def _versions(self, nodes: tuple[str, ...]) -> tuple[list[str], list[int]]:
        """The documents of these nodes, and their versions."""
        roots = sorted({document_of(node) for node in nodes})
        return roots, [row[0] for row in self._sql.rows("versions_of_documents", ids=roots)]

    def _edges(
        self,
        versions: list[int],
        roots: list[str],
        direction: Direction,
        relations: frozenset[str],
    ) -> Iterator[Relationship]:
        reads = self._references
        read = reads.leaving if direction == "out" else reads.entering
        yield from edges_of(read(versions, relations))
        yield from self._other_edges(versions, roots, direction, relations)

    def _other_edges(
        self,
        versions: list[int],
        roots: list[str],
        direction: Direction,
        relations: frozenset[str],
    ) -> Iterator[Relationship]:
        """All but those from references in their source's text."""
        inverses = frozenset(INVERSES[relation] for relation in relations if relation in INVERSES)
        reads = self._references
        read = reads.entering if direction == "out" else reads.leaving
        yield from inverse_edges_of(read(versions, inverses))
        for relationship in self._stated(direction, roots):
            if relationship.edge.relation in relations:
                yield relationship
        if SHARES_ENTITY in relations:
            yield from self._shared(versions, direction)
        if CONTAINS in relations:
            yield from self._contained(versions)

    def _stated(self, direction: Direction, roots: list[str]) -> Iterator[Relationship]:
        for source, relation, target, origins, evidence in self._sql.rows(
            f"relationships_{direction}", documents=roots
        ):
            positions = load_tuples(evidence, str, int, int, int, int, str)
            yield Relationship(
                Edge(source, relation, target),
                tuple(load_values(origins, str)),
                tuple(EdgeEvidence(*position) for position in positions),
            )

    def _shared(self, versions: list[int], direction: Direction) -> Iterator[Relationship]:
        for document, miner, holders in self._sql.rows(
            "shared_names", versions=versions, most=MAX_NAME_HOLDERS + 1
        ):
            named = [NameHolder(*holder) for holder in load_tuples(holders, str, str, int, str)]
            holding = {holder.document for holder in named}
            if document not in holding and len(named) <= MAX_NAME_HOLDERS:
                raise DamagedRow("a document is not among those with a name that it has")
            yield from shared_name_edges(document, named, miner, direction)

    def _contained(self, versions: list[int]) -> Iterator[Relationship]:
        for parent, node, line, path in self._sql.rows("child_nodes", versions=versions):
            position = EdgeEvidence(path, line, 0, 0, 0, "")
            yield Relationship(Edge(parent, CONTAINS, node), (STRUCTURE,), (position,))


def _require_inside(nodes: Collection[str], roots: list[str]) -> None:
    if not set(map(document_of, nodes)).issubset(roots):
        raise DamagedRow("a node has another id than its document")
