"""Writing stated relationships: given ones follow their source, hand-made ones stay."""

from collections.abc import Iterable, Sequence

from docgraph.adapters.sql.database import FOREVER, Database
from docgraph.model.digest import canonical
from docgraph.model.edge import Edge, Relationship
from docgraph.model.node import document_of


class EdgeWriter:
    """Each method runs inside its caller's transaction and says how many rows it changed."""

    def __init__(self, database: Database, branch: int, born: int) -> None:
        self._sql = database.queries("writes.sql")
        self._branch = branch
        self._born = born

    def _run(self, query: str, **values: object) -> int:
        return self._sql.run(query, branch=self._branch, **values)

    def replace_given(self, relationships: Iterable[Relationship]) -> int:
        """Ends what is no longer said before adding what is new: an edge lives once at a time."""
        again = self._run("drop_given_born_now", snapshot=self._born)
        place = {"branch": self._branch, "hand": 0, "forever": FOREVER}
        rows = self._sql.rows("living_relationships", **place)
        living = {tuple(row[1:]): row[0] for row in rows}
        new = [found for found in relationships if living.pop(_row(found), None) is None]
        for number in living.values():
            self._run("end_relationship", id=number, snapshot=self._born)
        for relationship in new:
            self._add(relationship, hand=0)
        return again + len(living) + len(new)

    def add_by_hand(self, relationships: Sequence[Relationship]) -> int:
        for relationship in relationships:
            self._end_by_hand(relationship.edge)
            self._add(relationship, hand=1)
        return len(relationships)

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        return sum(self._end_by_hand(edge) for edge in edges)

    def _end_by_hand(self, edge: Edge) -> int:
        place = {
            "snapshot": self._born,
            "forever": FOREVER,
            "source": edge.source,
            "relation": edge.relation,
            "target": edge.target,
        }
        born_now = self._run("drop_relationships_born_now", hand=1, **place)
        return self._run("end_hand_relationship", **place) + born_now

    def _add(self, relationship: Relationship, hand: int) -> None:
        source, relation, target, origins, evidence = _row(relationship)
        self._run(
            "add_relationship",
            source=source,
            source_document=document_of(source),
            relation=relation,
            target=target,
            target_document=document_of(target),
            hand=hand,
            origins=origins,
            evidence=evidence,
            born=self._born,
            forever=FOREVER,
        )


def _row(relationship: Relationship) -> tuple[str, str, str, str, str]:
    edge = relationship.edge
    evidence = [[e.path, e.line, e.start, e.end, e.rank, e.says] for e in relationship.evidence]
    origins = canonical(relationship.origins).decode()
    return edge.source, edge.relation, edge.target, origins, canonical(evidence).decode()
