"""What search may see: ids and numbers of visible rows, never text."""

from typing import Literal, Protocol

from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.scoring import Bm25
from docgraph.model.snapshot import SnapshotName

Level = Literal["documents", "sections", "chunks"]


class SearchReads(Protocol):
    @property
    def exact(self) -> bool:
        """Whether `nearest` looks at every visible row; else it may miss some."""
        ...

    @property
    def embeddings(self) -> EmbeddingState:
        """Of the visible documents. What has no vector yet, vector search leaves out."""
        ...

    def nearest(
        self, vector: tuple[int, ...], *, over: Level, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        """The `top` visible ids by exact integer dot product, best first, ties by id.

        `documents` scans summaries of documents, `sections` those of every node, `chunks` the
        chunks. Rolled up, a row counts for its document, else for its own node; the best row
        decides. Rows without a vector are left out.
        """
        ...

    def node_similarities(self, vector: tuple[int, ...], ids: tuple[str, ...]) -> dict[str, int]:
        """Dot products of visible nodes' summaries; absent are other ids, and nodes without a
        vector."""
        ...

    def best_chunk_similarities(
        self, vector: tuple[int, ...], ids: tuple[str, ...], *, roll_up: bool
    ) -> dict[str, int]:
        """The highest dot product of each visible node's chunks; other ids are absent, and nodes
        without a chunk that has a vector.

        Rolled up, a document's are all chunks in it, else a node's are its own.
        """
        ...

    def lexical(
        self, terms: tuple[str, ...], *, roll_up: bool, pool: int, bm25: Bm25
    ) -> tuple[tuple[str, float], ...]:
        """The `pool` visible ids by BM25 of their best chunk, best first, ties by id.

        Every statistic is of visible chunks alone. Rolled up, a chunk counts for its document,
        else for its node.
        """
        ...

    def definers(self, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Visible (name, node id) pairs for exactly these names, sorted."""
        ...

    def documents_titled(self, titles: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Visible (title, document id) pairs for exactly these titles, sorted."""
        ...

    def kinds(self, ids: tuple[str, ...]) -> dict[str, str]:
        """Kinds of the visible nodes among these; other ids are absent."""
        ...

    def ingestions(self, ids: tuple[str, ...]) -> dict[str, SnapshotName]:
        """The ingestions that brought the visible nodes among these; other ids are absent.

        An ingestion is named by the snapshot in which the version of the document first appeared.
        Ingests of hidden documents count in a snapshot's number: a result may depend on which
        ingestions are equal, and on their order, but not on the numbers.
        """
        ...


def similarity_of(
    vector: tuple[int, ...],
    ids: tuple[str, ...],
    reads: SearchReads,
    *,
    by_chunk: bool,
    roll_up: bool,
) -> dict[str, int]:
    """Dot products of the best chunks if `by_chunk`; of summaries else, or without a chunk."""
    near = reads.best_chunk_similarities(vector, ids, roll_up=roll_up) if by_chunk else {}
    without = tuple(node for node in ids if node not in near)
    return near | reads.node_similarities(vector, without) if without else near
