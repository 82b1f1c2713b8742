"""What planning may see of relations: visible edges, never text."""

from typing import Literal, Protocol

from docgraph.model.edge import Relationship

Direction = Literal["out", "in"]


class GraphReads(Protocol):
    def edges(
        self, nodes: tuple[str, ...], direction: Direction = "out"
    ) -> tuple[Relationship, ...]:
        """Visible edges that leave (or enter) these nodes or anything inside them, sorted.

        An edge is visible when both its ends are.
        """
        ...

    def listed(self) -> tuple[Relationship, ...]:
        """Every visible edge, sorted."""
        ...

    def present(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the ids that are visible nodes, in the order given."""
        ...
