"""What execution may read: text of, and similarity within, planned nodes; no edges, no search.

Every method raises NotPlanned for an id outside the plan and leaves out what is not visible.
"""

from typing import Protocol

from docgraph.model.evidence import ChunkScore, Concept, EvidenceChunk


class TextReads(Protocol):
    def concepts(self, nodes: tuple[str, ...]) -> tuple[Concept, ...]:
        """Title and summary, in the order given."""
        ...

    def chunk_scores(self, node: str) -> tuple[ChunkScore, ...]:
        """The node's chunks by position, with their exact similarity to the plan's vector: None
        where either has no vector."""
        ...

    def chunks(self, scores: tuple[ChunkScore, ...]) -> tuple[EvidenceChunk, ...]:
        """The texts of the chunks of `scores`, in the order given."""
        ...

    def full_texts(self, nodes: tuple[str, ...]) -> tuple[EvidenceChunk, ...]:
        """Each node's whole text as one chunk, in the order given."""
        ...
