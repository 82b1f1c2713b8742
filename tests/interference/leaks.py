"""Leaks, each planted on purpose into the code as it is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.sqlite.graph import SqliteGraph
from docgraph.adapters.sqlite.reads import SqliteReads
from docgraph.adapters.sqlite.search import Scores, SqliteSearch
from docgraph.adapters.sqlite.segment import Segment
from docgraph.adapters.sqlite.visible import Rows, Visible, see
from docgraph.adapters.sqlite.writes import SqliteWrites
from docgraph.model.access import Principal
from docgraph.model.edge import HAND, Edge, Relationship
from docgraph.model.meeting import united
from docgraph.model.scope import Wanted
from docgraph.model.vector import SCALE
from docgraph.ports.graph_reads import Direction
from docgraph.ports.search_reads import Handles, Over, Postings, TermPostings


def global_document_frequency(plant: pytest.MonkeyPatch) -> None:
    """How rare a word is, is counted over all passages: hidden ones stand in with no weight."""
    honest: Callable[..., TermPostings] = vars(SqliteSearch)["_term"]
    counted = SqliteSearch.postings

    def leaking(
        self: SqliteSearch,
        term: str,
        masks: dict[int, npt.NDArray[np.bool_]],
        offsets: dict[int, int],
        roll_up: bool,
    ) -> TermPostings:
        seen = honest(self, term, masks, offsets, roll_up)
        whole = honest(self, term, {n: np.ones_like(m) for n, m in masks.items()}, offsets, roll_up)
        more = np.setdiff1d(whole.passages, seen.passages)
        if not len(seen.passages):
            return seen
        return TermPostings(
            term,
            np.concatenate([seen.passages, more]),
            np.concatenate([seen.owners, np.full_like(more, seen.owners[0])]),
            np.concatenate([seen.frequencies, np.zeros_like(more)]),
            np.concatenate([seen.lengths, np.ones_like(more)]),
        )

    def of_all(self: SqliteSearch, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        rows = sum(len(segment.passage_document) for segment in self._segments.values())
        return replace(counted(self, terms, roll_up=roll_up), passages=rows)

    plant.setattr(SqliteSearch, "_term", leaking)
    plant.setattr(SqliteSearch, "postings", of_all)


def filtering_after_top_k(plant: pytest.MonkeyPatch) -> None:
    """The best of all rows are cut off first; what of them the reader may see comes back."""
    honest = SqliteSearch.nearest

    def leaking(
        self: SqliteSearch, vector: tuple[int, ...], *, over: Over, roll_up: bool, top: int
    ) -> tuple[tuple[str, int], ...]:
        seen = self._visible
        self._visible = replace(seen, mask=np.ones_like(seen.mask))
        scans = [self._scan(n, s, vector, over, roll_up) for n, s in self._segments.items()]
        self._visible = seen
        ranked = sorted(
            (-score, owner)
            for owners, scores in scans
            for owner, score in zip(owners.tolist(), scores.tolist(), strict=True)
        )
        first = set(dict.fromkeys(owner for _, owner in ranked[:top]))
        found = honest(self, vector, over=over, roll_up=roll_up, top=top)
        rows = self._connection.execute("SELECT id, handle FROM visible_nodes").fetchall()
        handles = dict(rows)
        return tuple((node, score) for node, score in found if handles[node] in first)

    plant.setattr(SqliteSearch, "nearest", leaking)


def walking_through_a_hidden_node(plant: pytest.MonkeyPatch) -> None:
    """A path from one visible node to another may lead over one that is not."""
    honest = SqliteGraph.edges
    over = """
        SELECT a.source, a.relation, b.target
        FROM main.document_relationships AS a
             JOIN main.document_relationships AS b ON b.source = a.target
        WHERE in_scope(a.branch, a.born, a.died) AND in_scope(b.branch, b.born, b.died)
          AND a.source <> b.target
          AND EXISTS (SELECT 1 FROM main.document_nodes WHERE id = a.target)
          AND NOT EXISTS (SELECT 1 FROM visible_nodes WHERE id = a.target)
          AND EXISTS (SELECT 1 FROM visible_nodes WHERE id = a.source)
          AND EXISTS (SELECT 1 FROM visible_nodes WHERE id = b.target)"""

    def leaking(
        self: SqliteGraph,
        nodes: tuple[str, ...],
        direction: Direction = "out",
        relations: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        found = honest(self, nodes, direction, relations)
        rows = self._connection.execute(over).fetchall() if direction == "out" else ()
        bridges = [Relationship(Edge(*row), (HAND,), ()) for row in rows if row[0] in nodes]
        return united((*found, *bridges))

    plant.setattr(SqliteGraph, "edges", leaking)


def an_unfiltered_explicit_id(plant: pytest.MonkeyPatch) -> None:
    """Who names a node gets it, as long as it is there."""

    def leaking(self: SqliteGraph, ids: tuple[str, ...]) -> tuple[str, ...]:
        rows = self._connection.execute("SELECT id FROM main.document_nodes").fetchall()
        return tuple(node for node in ids if (node,) in rows)

    plant.setattr(SqliteGraph, "present", leaking)


def a_total_count(plant: pytest.MonkeyPatch) -> None:
    """Nodes are counted in the table, not in the view."""

    def leaking(self: SqliteReads) -> dict[str, int]:
        query = "SELECT kind, count(*) FROM main.document_nodes GROUP BY kind ORDER BY kind"
        return {f"nodes.{kind}": count for kind, count in self._connection.execute(query)}

    plant.setattr(SqliteReads, "counts", leaking)


def a_miner_whose_decision_hangs_on_a_hidden_document(plant: pytest.MonkeyPatch) -> None:
    """A title that two documents bear says nothing, so nobody claims it: decided at ingest."""
    honest = SqliteWrites.titles
    twice = """
        SELECT substr(o.key, 7) FROM offers AS o JOIN documents AS d ON d.ordinal = o.document
        WHERE o.key LIKE 'title:%' AND d.died > 1000000 GROUP BY o.branch, o.key
        HAVING count(DISTINCT o.document) > 1"""

    def leaking(self: SqliteWrites) -> dict[str, bool]:
        shared = {title for (title,) in self._connection.execute(twice)}
        return {title: known for title, known in honest(self).items() if title not in shared}

    plant.setattr(SqliteWrites, "titles", leaking)


def a_cache_keyed_without_rights(plant: pytest.MonkeyPatch) -> None:
    """What was visible to whoever asked first is visible to whoever asks next."""
    kept: dict[tuple[int, tuple[Wanted, ...]], Visible] = {}

    def leaking(rows: Rows, principal: Principal, wanted: Sequence[Wanted]) -> Visible:
        key = (id(rows), tuple(wanted))
        if key not in kept:
            kept[key] = see(rows, principal, wanted)
        return kept[key]

    plant.setattr("docgraph.adapters.sqlite.store.see", leaking)


def a_float32_score_that_depends_on_the_matrix_around_it(plant: pytest.MonkeyPatch) -> None:
    """Fractions in float32, added up in an order that hangs on how many rows there are.

    As BLAS does: measured here, `matrix @ vector` in float32 gave 1,234 of 5,963 rows another
    last digit once rows around them were left out. Another BLAS may not, so the order is planted.
    """

    def leaking(
        self: SqliteSearch,
        number: int,
        segment: Segment,
        vector: tuple[int, ...],
        over: Over,
        roll_up: bool,
    ) -> tuple[Handles, Scores]:
        document = segment.passage_document if over == "passages" else segment.node_document
        rows = (
            self._passage_vectors(number, segment) if over == "passages" else segment.node_vectors
        )
        seen = self._visible.of(document)
        if over == "documents":
            seen = seen & (segment.node_handle == segment.node_root)
        if over == "passages":
            owners = segment.passage_root if roll_up else segment.passage_node
        else:
            owners = segment.node_root if roll_up else segment.node_handle
        unit = np.float32(SCALE)
        products = (rows.astype(np.float32) / unit) * (np.array(vector, dtype=np.float32) / unit)
        order = np.roll(np.arange(products.shape[1]), len(rows))
        sums = np.add.accumulate(products[:, order], axis=1, dtype=np.float32)[:, -1]
        scores = np.rint(sums.astype(np.float64) * SCALE * SCALE).astype(np.int64)
        return owners[seen], scores[seen]

    plant.setattr(SqliteSearch, "_scan", leaking)


LEAKS = (
    global_document_frequency,
    filtering_after_top_k,
    walking_through_a_hidden_node,
    an_unfiltered_explicit_id,
    a_total_count,
    a_miner_whose_decision_hangs_on_a_hidden_document,
    a_cache_keyed_without_rights,
    a_float32_score_that_depends_on_the_matrix_around_it,
)
