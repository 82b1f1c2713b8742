"""What planning may see of relations: visible edges, never text."""

from typing import Literal, Protocol

from docgraph.model.edge import Relationship
from docgraph.model.reference import PlaceCount

Direction = Literal["out", "in"]


class GraphReads(Protocol):
    def edges(
        self,
        nodes: tuple[str, ...],
        direction: Direction = "out",
        relations: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        """Visible edges that leave (or enter) these nodes or anything inside them, sorted.

        An edge is visible when both its ends are. None means every relation but `contains`: a
        node's span holds its inner nodes anyway.
        """
        ...

    def listed(self, relations: frozenset[str] | None = None) -> tuple[Relationship, ...]:
        """Every visible edge, sorted; of these relations, or of every one but `contains`."""
        ...

    def present(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the ids that are visible nodes, in the order given."""
        ...

    def places(self) -> tuple[PlaceCount, ...]:
        """PlaceCount in visible texts that name another node, by miner and relation.

        What is hidden answers nobody, so it counts as unmet, like what is not there.
        """
        ...

    def opaque(self) -> int:
        """Calls in visible code that nothing in their file leads anywhere."""
        ...
