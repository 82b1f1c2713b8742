"""Resolved edges: those that leave or enter nodes, and all of them, after ambiguity is resolved."""

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from docgraph.model.edge import INVERSES, RELATIONS, Edge, Relationship
from docgraph.model.node import document_of
from docgraph.model.validation import suggest
from docgraph.plan.ambiguity import resolve_ambiguity, surviving_spans
from docgraph.ports.graph_reads import GraphReads


class ResolvedEdge(NamedTuple):
    """An edge that planning follows.

    `first_mention` is the first position of its evidence in the source, -1 if there is none. An
    edge that is not `in_text` has no characters there.
    """

    edge: Edge
    first_mention: int
    in_text: bool


def outgoing_edges(
    graph: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[ResolvedEdge, ...]:
    """Edges that leave these nodes; candidates compete within the whole document."""
    documents = tuple(dict.fromkeys(map(document_of, nodes)))
    if documents == nodes:
        return _resolved(documents, graph, relations)
    inside = graph.inside(nodes)
    winners = _resolved(documents, graph, relations, inside)
    return tuple(winner for winner in winners if winner.edge.source in inside)


def incoming_edges(
    graph: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[ResolvedEdge, ...]:
    """Edges that enter these nodes; candidates compete within each source document."""
    entering = {one.edge for one in graph.edges(nodes, "in", relations)}
    sources = tuple(dict.fromkeys(document_of(edge.source) for edge in sorted(entering)))
    winners = _resolved(sources, graph, relations)
    return tuple(winner for winner in winners if winner.edge in entering)


def incident_edges(
    node: str, graph: GraphReads, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Edges that leave or enter this node, or any part of this document; sorted."""
    entering = graph.edges((node,), "in", relations)
    ends = (node, *(one.edge.source for one in entering))
    documents = tuple(dict.fromkeys(map(document_of, ends)))
    winners = resolve_ambiguity(graph.edges(documents, "out", relations))
    return tuple(
        winner
        for winner in confirm_inverses(winners, graph)
        if node in (pair := (winner.edge.source, winner.edge.target))
        or node in map(document_of, pair)
    )


def all_resolved_edges(
    graph: GraphReads, relations: frozenset[str] | None = None
) -> Iterator[Relationship]:
    """Every resolved edge, sorted, with one batch of documents in memory at a time.

    Candidates compete within a document, so a batch of whole documents is resolved by itself. An
    edge waits for as long as a later document may have edges before it: `r:a.md!` is sorted
    between `r:a.md` and its section `r:a.md#part`.
    """
    waiting: list[tuple[Edge, Relationship]] = []
    for first, candidates in graph.edge_batches(relations):
        while waiting and waiting[0][0].source < first:
            yield heappop(waiting)[1]
        for winner in confirm_inverses(resolve_ambiguity(candidates), graph):
            heappush(waiting, (winner.edge, winner))
    while waiting:
        yield heappop(waiting)[1]


def confirm_inverses(
    winners: tuple[Relationship, ...], graph: GraphReads
) -> tuple[Relationship, ...]:
    """Drops an inverse whose forward edge lost among the edges of its own document."""
    without_text = (
        one.edge for one in winners if all(proof.end <= proof.start for proof in one.evidence)
    )
    lost = _lost_inverses(without_text, graph)
    return tuple(winner for winner in winners if winner.edge not in lost)


def _resolved(
    documents: tuple[str, ...],
    graph: GraphReads,
    relations: frozenset[str] | None,
    sources: frozenset[str] | None = None,
) -> tuple[ResolvedEdge, ...]:
    """Sorted; those of other nodes than the sources may be missing."""
    spans = surviving_spans(graph.candidates(documents, relations, sources))
    winners = [
        ResolvedEdge(
            Edge(*edge),
            min((start for start, _, _ in won), default=-1),
            any(end > start for start, end, _ in won),
        )
        for edge, won in sorted(spans.items())
    ]
    lost = _lost_inverses((one.edge for one in winners if not one.in_text), graph)
    return tuple(winner for winner in winners if winner.edge not in lost)


def _lost_inverses(without_text: Iterable[Edge], graph: GraphReads) -> frozenset[Edge]:
    """Of edges whose evidence is in the text of their target, if they have any."""
    inverses = [edge for edge in without_text if edge.relation in INVERSES]
    if not inverses:
        return frozenset()
    sources = tuple(dict.fromkeys(document_of(edge.target) for edge in inverses))
    forward = surviving_spans(graph.candidates(sources, frozenset(INVERSES)))
    return frozenset(
        edge
        for edge in inverses
        if (edge.target, INVERSES[edge.relation], edge.source) not in forward
    )


# The option `relations` of planning actions: absent is all, empty is none.


def check_relations(options: Mapping[str, object]) -> str | None:
    """An unknown relation is an error that suggests a known one."""
    named = options.get("relations")
    for name in named if isinstance(named, tuple) else ():
        if name not in RELATIONS:
            return f"no relation is called {name!r}; {suggest(name, RELATIONS)}"
    return None


def relation_filter(relations: tuple[str, ...] | None) -> frozenset[str] | None:
    """As GraphReads takes it; None is every relation but `contains`."""
    return None if relations is None else frozenset(relations)
