"""Leaks, each planted on purpose into the code as it is."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.indexes.packed_lexical import PackedLexical, weigh
from docgraph.adapters.indexes.packed_vectors import PackedVectors, Scores
from docgraph.adapters.indexes.visible_rows import PackedReader, ReaderView, visible_rows
from docgraph.adapters.postgres.database import PostgresQueries
from docgraph.adapters.sql.database import Queries, Row
from docgraph.adapters.sql.graph import SqlGraph
from docgraph.adapters.sql.reader_session import SqlReads
from docgraph.adapters.sql.relation_writer import SqlReferenceWriter
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sql.visibility import Visibility, resolve_visibility
from docgraph.model.access import Principal
from docgraph.model.edge import MANUAL, Edge, Relationship
from docgraph.model.link import EdgeCandidates, candidates_of, merge_edges
from docgraph.model.scoring import Bm25, Ints, Weights, idf, score_owners, top_with_ties
from docgraph.model.snapshot import SnapshotSelector
from docgraph.model.vector import SCALE
from docgraph.ports.graph_reads import Direction
from docgraph.ports.indexes import ReadFilter, VectorHits
from docgraph.ports.search_reads import Level

P = ParamSpec("P")
T = TypeVar("T")
executed: Counter[str] = Counter()  # calls of planted code, by leak


def counted(leaking: Callable[P, T]) -> Callable[P, T]:
    """Counts calls under the leak's name: a leak whose code never runs proves nothing."""
    leak = leaking.__qualname__.partition(".")[0]

    @wraps(leaking)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        executed[leak] += 1
        return leaking(*args, **kwargs)

    return call


def straight(sql: Queries, text: str) -> list[Row]:
    """Past the named queries, on the same connection."""
    connection: Any = vars(sql)["_connection"]
    found: list[Row] = connection.execute(text).fetchall()
    return found


def in_scope(sql: Queries, table: str) -> str:
    """That a row lives in a snapshot that is asked, in the store's own words."""
    if isinstance(sql, PostgresQueries):
        return (
            f"EXISTS (SELECT 1 FROM requested_snapshots() AS s WHERE s.branch = {table}.branch "
            f"AND {table}.valid_from <= s.snapshot AND s.snapshot < {table}.valid_to)"
        )
    return f"in_scope({table}.branch, {table}.valid_from, {table}.valid_to)"


def living(sql: Queries, columns: str, where: str = "true") -> str:
    """Nodes of all documents in the requested snapshots, without regard to rights."""
    return (
        f"SELECT {columns} FROM document_nodes AS n JOIN documents AS d ON d.version = n.version "
        f"WHERE {in_scope(sql, 'd')} AND {where}"
    )


def all_vectors(sql: Queries, level: Level) -> str:
    """Rows of an index with their vectors, without regard to rights."""
    if level == "chunks":
        return (
            "SELECT c.version * 1048576 + c.position, v.vector FROM chunk_vectors AS c "
            "JOIN vectors AS v ON v.id = c.vector_id JOIN documents AS d ON d.version = c.version "
            f"WHERE {in_scope(sql, 'd')}"
        )
    where = "n.parent IS NULL" if level == "documents" else "true"
    vector = "(SELECT v.vector FROM node_vectors AS v WHERE v.handle = n.handle)"
    return living(sql, f"n.handle, {vector}", f"{where} AND {vector} IS NOT NULL")


def alive_for_anyone(table: VersionTable, reads: ReadFilter) -> npt.NDArray[np.bool_]:
    """All rows in the filter's snapshots, without regard to rights."""
    mask = np.zeros(len(table.branch), dtype=np.bool_)
    for branch, snapshot in reads.snapshots:
        mask |= table.alive(branch, snapshot)
    return mask


def see_with(plant: pytest.MonkeyPatch, other: Callable[..., Visibility]) -> None:
    for store in ("sqlite", "postgres"):
        plant.setattr(f"docgraph.adapters.{store}.store.resolve_visibility", other)


class EveryonesReader(PackedReader):
    """Shows the rows that a reader with all rights would see of the same segments."""

    def __init__(self, packed: PackedReader) -> None:
        self._honest = packed
        self.sql = packed.sql
        self.segments = packed.segments

    def view(self, reads: ReadFilter) -> ReaderView:
        own = self._honest.view(reads)
        mask = alive_for_anyone(vars(self._honest)["_table"], reads)
        rows = visible_rows(mask, frozenset(own.numbers), [one.block for one in own.blocks])
        return ReaderView(own.numbers, rows, lambda _: None)


def global_document_frequency(plant: pytest.MonkeyPatch) -> None:
    """How rare a word is, is counted over all chunks, also over hidden ones."""

    @counted
    def leaking(
        self: PackedLexical,
        terms: tuple[str, ...],
        reads: ReadFilter,
        *,
        roll_up: bool,
        limit: int,
        bm25: Bm25,
    ) -> tuple[Ints, Weights]:
        packed = self._packed
        view, everyones = packed.view(reads), EveryonesReader(packed).view(reads)
        counts = packed.segments.postings(packed.sql, view.numbers, terms)
        lists = []
        for term in terms:
            own, whole = (weigh(term, counts, one, bm25) for one in (view, everyones))
            seen, all_ = (
                idf(len(found.positions), len(one.lengths.lengths))
                for found, one in ((own, view), (whole, everyones))
            )
            lists.append(own._replace(weights=own.weights / seen * all_))
        owners = view.by_document if roll_up else view.by_node
        return top_with_ties(*score_owners(lists, owners), limit)

    plant.setattr(PackedLexical, "top", leaking)


def filtering_after_top_k(plant: pytest.MonkeyPatch) -> None:
    """The best of all rows are cut off first; what of them the reader may see comes back."""
    honest = PackedVectors.search

    @counted
    def leaking(
        self: PackedVectors, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        query = np.array(vector, dtype=np.int64)
        rows = straight(self._packed.sql, all_vectors(self._packed.sql, level))
        products = [int(np.frombuffer(one, dtype="<i2") @ query) for _, one in rows]
        ranked = sorted(zip((-one for one in products), (row for row, _ in rows), strict=True))
        found = honest(self, vector, reads, level=level, limit=limit)
        first = np.isin(found.row, [row for _, row in ranked[:limit]])
        return VectorHits(
            found.row[first], found.node[first], found.document[first], found.dot[first]
        )

    plant.setattr(PackedVectors, "search", leaking)


def walking_through_a_hidden_node(plant: pytest.MonkeyPatch) -> None:
    """A path from one visible node to another may lead over one that is not."""
    edges, candidates = SqlGraph.edges, SqlGraph.candidates

    def over(sql: Queries) -> str:
        return f"""
            SELECT a.source, a.relation, b.target
            FROM stated_relationships AS a
                 JOIN stated_relationships AS b ON b.source = a.target
            WHERE {in_scope(sql, "a")} AND {in_scope(sql, "b")} AND a.source <> b.target
              AND EXISTS ({living(sql, "1", "n.id = a.target")})
              AND NOT EXISTS (SELECT 1 FROM visible_nodes WHERE id = a.target)
              AND EXISTS (SELECT 1 FROM visible_nodes WHERE id = a.source)
              AND EXISTS (SELECT 1 FROM visible_nodes WHERE id = b.target)"""

    @counted
    def bridges(self: SqlGraph, nodes: tuple[str, ...]) -> list[Relationship]:
        rows = straight(self._sql, over(self._sql))
        return [Relationship(Edge(*row), (MANUAL,), ()) for row in rows if row[0] in nodes]

    def leaking(
        self: SqlGraph,
        nodes: tuple[str, ...],
        direction: Direction = "out",
        relations: frozenset[str] | None = None,
    ) -> tuple[Relationship, ...]:
        found = edges(self, nodes, direction, relations)
        return merge_edges((*found, *(bridges(self, nodes) if direction == "out" else ())))

    def leaking_candidates(
        self: SqlGraph,
        documents: tuple[str, ...],
        relations: frozenset[str] | None = None,
        sources: frozenset[str] | None = None,
    ) -> tuple[EdgeCandidates, ...]:
        found = candidates(self, documents, relations, sources)
        return (*found, *(c for one in bridges(self, documents) for c in candidates_of(one)))

    plant.setattr(SqlGraph, "edges", leaking)
    plant.setattr(SqlGraph, "candidates", leaking_candidates)


def an_unfiltered_explicit_id(plant: pytest.MonkeyPatch) -> None:
    """Who names a node gets it, as long as it is there."""

    @counted
    def leaking(self: SqlGraph, ids: tuple[str, ...]) -> tuple[str, ...]:
        rows = straight(self._sql, living(self._sql, "n.id"))
        return tuple(node for node in ids if (node,) in rows)

    plant.setattr(SqlGraph, "visible_ids", leaking)


def a_total_count(plant: pytest.MonkeyPatch) -> None:
    """Nodes are counted in the table, not in the view."""

    @counted
    def leaking(self: SqlReads) -> dict[str, int]:
        query = f"{living(self._sql, 'n.kind, count(*)')} GROUP BY n.kind ORDER BY n.kind"
        return {f"nodes.{kind}": count for kind, count in straight(self._sql, query)}

    plant.setattr(SqlReads, "counts", leaking)


def a_mask_without_rights(plant: pytest.MonkeyPatch) -> None:
    """Whatever lives in the snapshots asked is let through."""

    @counted
    def leaking(self: VersionTable, reads: ReadFilter) -> npt.NDArray[np.bool_]:
        return alive_for_anyone(self, reads)

    plant.setattr(VersionTable, "mask", leaking)


def a_miner_whose_decision_hangs_on_a_hidden_document(plant: pytest.MonkeyPatch) -> None:
    """A title of two documents is ambiguous, so it is no definition: decided at ingest."""
    honest = SqlReferenceWriter.titles
    twice = """
        SELECT substr(def.key, 7) FROM definitions AS def
             JOIN documents AS d ON d.version = def.version
        WHERE def.key LIKE 'title:%' AND d.valid_to > 1000000 GROUP BY def.branch, def.key
        HAVING count(DISTINCT def.version) > 1"""

    @counted
    def leaking(self: SqlReferenceWriter) -> dict[str, bool]:
        shared = {title for (title,) in straight(self._sql, twice)}
        return {title: known for title, known in honest(self).items() if title not in shared}

    plant.setattr(SqlReferenceWriter, "titles", leaking)


def a_cache_keyed_without_rights(plant: pytest.MonkeyPatch) -> None:
    """What the first reader saw is visible to the next."""
    kept: dict[tuple[int, tuple[SnapshotSelector, ...]], Visibility] = {}

    @counted
    def leaking(
        rows: VersionTable, principal: Principal, selectors: Sequence[SnapshotSelector]
    ) -> Visibility:
        key = (id(rows), tuple(selectors))
        if key not in kept:
            kept[key] = resolve_visibility(rows, principal, selectors)
        return kept[key]

    see_with(plant, leaking)


def a_float32_score_that_depends_on_the_matrix_around_it(plant: pytest.MonkeyPatch) -> None:
    """Fractions in float32, added up in an order that hangs on how many rows there are.

    As BLAS does: measured here, `matrix @ vector` in float32 gave 1,234 of 5,963 rows another
    last digit once rows around them were left out. Another BLAS may not, so the order is planted.
    """

    @counted
    def leaking(rows: npt.NDArray[Any], query: Scores, kept: Ints) -> Scores:
        unit = np.float32(SCALE)
        products = (rows.astype(np.float32) / unit) * (query / unit)
        order = np.roll(np.arange(products.shape[1]), len(rows))
        sums = np.add.accumulate(products[:, order], axis=1, dtype=np.float32)[:, -1]
        scores: Scores = np.rint(sums.astype(np.float64) * SCALE * SCALE)[kept]
        return scores

    plant.setattr("docgraph.adapters.indexes.packed_vectors.dot_products", leaking)


# Rights are not asked where a row is read; a store with a lock of its own asks them again.
RIGHTS_FORGOTTEN = (
    global_document_frequency,
    filtering_after_top_k,
    walking_through_a_hidden_node,
    an_unfiltered_explicit_id,
    a_total_count,
    a_mask_without_rights,
)
# What is read is the reader's own, or was read in another's name, or in nobody's.
NOT_OF_ROWS = (
    a_miner_whose_decision_hangs_on_a_hidden_document,
    a_cache_keyed_without_rights,
    a_float32_score_that_depends_on_the_matrix_around_it,
)
LEAKS = (*RIGHTS_FORGOTTEN, *NOT_OF_ROWS)
