"""Every edge that a graph shows, before ambiguity is resolved."""

from collections.abc import Iterable

from docgraph.model.edge import Relationship
from docgraph.model.link import EdgeCandidates
from docgraph.ports.graph_reads import GraphReads


def all_edges(
    graph: GraphReads, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Sorted, whatever the batches."""
    return tuple(sorted(one for _, batch in graph.edge_batches(relations) for one in batch))


CandidateEdge = tuple[str, str, str, int, tuple[int, int] | None, bool]


def ungrouped(candidates: Iterable[EdgeCandidates]) -> list[CandidateEdge]:
    """Source, relation, target, rank, span, and whether it is manual; sorted, however grouped."""
    edges = {
        (one.source, one.relation, target, rank, span, one.manual)
        for one in candidates
        for target, rank in one.targets
        for span in one.spans or (None,)
    }
    return sorted(edges, key=lambda one: (*one[:4], one[4] or (), one[5]))
