"""What planning may read of relations: visible edges, never text."""

from collections.abc import Iterator
from typing import Literal, Protocol

from docgraph.model.edge import Relationship
from docgraph.model.link import EdgeCandidates
from docgraph.model.reference import ReferenceCount

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

    def candidates(
        self,
        documents: tuple[str, ...],
        relations: frozenset[str] | None = None,
        sources: frozenset[str] | None = None,
    ) -> tuple[EdgeCandidates, ...]:
        """The same edges out of these documents as `edges` gives, without their evidence.

        Edges that the same characters may mean come together: a long document names the same
        things many times. With `sources`, edges that leave other nodes of the documents and do
        not compete with any that leaves one of these may be missing.
        """
        ...

    def edge_batches(
        self, relations: frozenset[str] | None = None
    ) -> Iterator[tuple[str, tuple[Relationship, ...]]]:
        """Every visible edge of these relations, or of every one but `contains`, in batches.

        A batch is the first of its documents by id, and all edges that leave its documents,
        sorted. Batches follow the order of ids, so that one at a time is in memory.
        """
        ...

    def inside(self, nodes: tuple[str, ...]) -> frozenset[str]:
        """Those of these nodes that are visible, and every visible node below them."""
        ...

    def visible_ids(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the ids that are visible nodes, in the order given."""
        ...

    def reference_counts(self) -> tuple[ReferenceCount, ...]:
        """References in visible texts to another node, by miner and relation.

        A hidden definition resolves nothing, exactly like one that does not exist.
        """
        ...

    def unresolved_calls(self) -> int:
        """Calls in visible code whose target nothing in their file names."""
        ...
