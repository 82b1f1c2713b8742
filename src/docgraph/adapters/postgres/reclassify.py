"""A document's class changed: every row that carries it follows, and segments stay of one class."""

from collections.abc import Mapping

import numpy as np

from docgraph.adapters.indexes.segment_writer import SegmentRows
from docgraph.adapters.sql.database import Database

_COPIES = (
    "reclassify_nodes",
    "reclassify_chunks",
    "reclassify_embeddings",
    "reclassify_summary_vectors",
    "reclassify_node_vectors",
    "reclassify_chunk_vectors",
    "reclassify_definitions",
    "reclassify_references",
)


class Reclassifier:
    """Inside its caller's transaction, so that no reader sees half of a move."""

    def __init__(self, database: Database) -> None:
        self._sql = database.queries("reclassify.sql")
        self._segments = SegmentRows(database)

    def moved(self, branch: int, classes: Mapping[int, int]) -> None:
        """These versions of a branch have other classes now."""
        documents = list(classes)
        for query in _COPIES:
            self._sql.run(query, versions=documents)
        for number, group, held in self._sql.rows(
            "segments_of_versions", branch=branch, versions=documents
        ):
            self._divide(number, group, held)

    def _divide(self, number: int, group: int, held: list[int]) -> None:
        """A segment whose documents all go the same way goes as it is."""
        parts: dict[int, list[int]] = {}
        for ordinal, class_ in self._sql.rows("classes_of_versions", versions=held):
            parts.setdefault(class_, []).append(ordinal)
        if set(parts) == {group}:
            return
        if len(parts) == 1:
            (other,) = parts
            self._sql.run("reclassify_segment", segment=number, access_class=other)
            return
        whole = {class_: np.array(sorted(part)) for class_, part in sorted(parts.items())}
        self._segments.divide(number, whole)
