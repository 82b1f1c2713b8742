"""Every edge that a graph shows, before ambiguity is resolved."""

from docgraph.model.edge import Relationship
from docgraph.ports.graph_reads import GraphReads


def all_edges(
    graph: GraphReads, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Sorted, whatever the batches."""
    return tuple(sorted(one for _, batch in graph.edge_batches(relations) for one in batch))
