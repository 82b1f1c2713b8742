"""Resolves ambiguity: which of several edges from the same characters is followed.

Mining stores every candidate, so that an edge depends on its two ends alone; which of them wins
is decided here, per question, over what the reader can see.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from docgraph.model.edge import (
    INVERSES,
    MANUAL,
    RELATIONS,
    Edge,
    EdgeEvidence,
    Relationship,
    inverse,
)
from docgraph.model.identifiers import MAX_TITLE_HOLDERS
from docgraph.model.link import MAX_EVIDENCE
from docgraph.model.node import document_of
from docgraph.model.validation import suggest
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.graph_reads import GraphReads

_Candidate = tuple[EdgeEvidence, int]  # with the position of its relationship


def outgoing_edges(
    graph: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Resolved edges that leave these nodes; candidates compete within the whole document."""
    documents = tuple(dict.fromkeys(document_of(node) for node in nodes))
    winners = confirm_inverses(resolve_ambiguity(graph.edges(documents, "out", relations)), graph)
    if documents == nodes:
        return winners
    own = {relationship.edge for relationship in graph.edges(nodes, "out", relations)}
    return tuple(winner for winner in winners if winner.edge in own)


def incoming_edges(
    graph: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Resolved edges that enter these nodes; candidates compete within each source document."""
    entering = graph.edges(nodes, "in", relations)
    sources = tuple(dict.fromkeys(document_of(one.edge.source) for one in entering))
    resolved = resolve_ambiguity(graph.edges(sources, "out", relations))
    winners = {winner.edge: winner for winner in confirm_inverses(resolved, graph)}
    return tuple(winners[one.edge] for one in entering if one.edge in winners)


def incident_edges(
    node: str, graph: GraphReads, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Resolved edges that leave or enter this node, or any part of this document; sorted."""
    both = (*outgoing_edges(graph, (node,), relations), *incoming_edges(graph, (node,), relations))
    winners = {winner.edge: winner for winner in both}
    ends = ((edge, (edge.source, edge.target)) for edge in sorted(winners))
    return tuple(
        winners[edge] for edge, pair in ends if node in pair or node in map(document_of, pair)
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
    inverses = tuple(winner for winner in winners if _is_inverse(winner))
    if not inverses:
        return winners
    sources = tuple(dict.fromkeys(document_of(winner.edge.target) for winner in inverses))
    resolved = resolve_ambiguity(graph.edges(sources, "out", frozenset(INVERSES)))
    forward = {winner.edge for winner in resolved}
    lost = {winner.edge for winner in inverses if inverse(winner.edge) not in forward}
    return tuple(winner for winner in winners if winner.edge not in lost)


def _is_inverse(relationship: Relationship) -> bool:
    """Whether the evidence is in the text of its target: then it has no characters."""
    has_characters = any(one.end > one.start for one in relationship.evidence)
    return relationship.edge.relation in INVERSES and not has_characters


def resolve_ambiguity(relationships: tuple[Relationship, ...]) -> tuple[Relationship, ...]:
    """The longest span wins, then the lowest rank; a tie between too many documents has no winner.

    A text that names a part of a document does not name the whole document as well.
    """
    candidates: defaultdict[tuple[str, str], list[_Candidate]] = defaultdict(list)
    for index, one in enumerate(relationships):
        for evidence in one.evidence:
            if evidence.end > evidence.start:
                key = (document_of(one.edge.source), one.edge.relation)
                candidates[key].append((evidence, index))
    lost: set[_Candidate] = set()
    for (_, relation), competing in candidates.items():
        check_cancelled()
        max_documents = MAX_TITLE_HOLDERS if relation == "mentions" else 1
        lost.update(_losers(competing, relationships, max_documents))
    return tuple(_survivors(relationships, lost))


def _losers(
    candidates: list[_Candidate], relationships: tuple[Relationship, ...], max_documents: int
) -> Iterable[_Candidate]:
    spans: defaultdict[tuple[int, int], list[_Candidate]] = defaultdict(list)
    for candidate in candidates:
        spans[(candidate[0].start, candidate[0].end)].append(candidate)
    covered = -1
    for (_, end), same_span in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if end <= covered:
            yield from same_span
            continue
        covered = end
        best = min(evidence.rank for evidence, _ in same_span)
        tied = [candidate for candidate in same_span if candidate[0].rank == best]
        yield from (candidate for candidate in same_span if candidate[0].rank != best)
        targets = {relationships[index].edge.target for _, index in tied}
        if len(set(map(document_of, targets))) > max_documents:
            yield from tied
            continue
        wholes = {document_of(target) for target in targets if target != document_of(target)}
        yield from (one for one in tied if relationships[one[1]].edge.target in wholes)


def _survivors(
    relationships: tuple[Relationship, ...], lost: set[_Candidate]
) -> Iterable[Relationship]:
    """A manual edge survives, even where mining proposed the same edge and lost.

    Evidence is limited after all of it has competed: an early position must not hide a later one.
    """
    for index, one in enumerate(relationships):
        evidence = tuple(proof for proof in one.evidence if (proof, index) not in lost)
        if evidence or not one.evidence:
            yield Relationship(one.edge, one.origins, evidence[:MAX_EVIDENCE])
        elif MANUAL in one.origins:
            yield Relationship(one.edge, (MANUAL,), evidence)


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


def first_mention(relationship: Relationship) -> int:
    """The first position of its evidence in the source; a manual edge without one comes first."""
    return min((evidence.start for evidence in relationship.evidence), default=-1)
