"""Segments in the database: written whole, dropped whole."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from docgraph.adapters.sql.database import Database, Row, only
from docgraph.adapters.sql.postings import Packed, thinned
from docgraph.adapters.sql.segment import Ints, Segment


class SegmentRows:
    """Each method runs inside its caller's transaction.

    `group` is what a segment's documents have in common; a store that hides each document by
    itself puts all into one group.
    """

    def __init__(self, database: Database) -> None:
        self._sql = database.queries("segments.sql")

    def of_branch(self, branch: int) -> list[Row]:
        """Number, group and passages of each, the smallest first."""
        return self._sql.rows("segments_of_branch", branch=branch)

    def arrays(self, number: int) -> Segment:
        return Segment.from_bytes(only(self._sql.row("arrays_of_segment", segment=number))[0])

    def postings(self, numbers: Sequence[int]) -> list[Row]:
        """Term, segment, passages, frequencies."""
        return self._sql.rows("postings_of_segments", segments=list(numbers))

    def store(
        self, segment: Segment, postings: Iterable[Packed], *, branch: int, group: int, born: int
    ) -> None:
        row = self._sql.row(
            "add_segment",
            branch=branch,
            group=group,
            born=born,
            passages=len(segment.passage_document),
            nodes=len(segment.node_document),
            documents=np.unique(segment.node_document).tolist(),
            arrays=segment.to_bytes(),
        )
        (number,) = only(row)
        self._sql.many(
            "add_postings",
            (
                {"segment": number, "term": term, "passages": places, "frequencies": counted}
                for term, places, counted in postings
            ),
        )

    def drop(self, numbers: Sequence[int]) -> None:
        for query in ("drop_postings", "drop_segments"):
            self._sql.run(query, segments=list(numbers))

    def divide(self, number: int, parts: Mapping[int, Ints]) -> None:
        """In its place, segments with these documents alone, by group; none of them may be empty.

        Under new numbers, since segments are cached by their number.
        """
        segment, postings = self.arrays(number), self.postings([number])
        branch, born = only(self._sql.row("place_of_segment", segment=number))
        for group, documents in parts.items():
            passages = np.isin(segment.passage_document, documents)
            nodes = np.isin(segment.node_document, documents)
            rows = ((term, places, counted) for term, _, places, counted in postings)
            kept = segment.only(passages, nodes)
            self.store(kept, thinned(rows, passages), branch=branch, group=group, born=born)
        self.drop([number])
