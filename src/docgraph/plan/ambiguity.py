"""Deciding, among visible edges, which claim on the same words holds.

Mining stores every candidate, so that an edge depends on its two ends alone; which of them wins
is decided here, per question, over what the reader can see.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from docgraph.model.edge import INVERSES, MANUAL, RELATIONS, EdgeEvidence, Relationship, inverse
from docgraph.model.node import document_of
from docgraph.model.validation import suggest
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.graph_reads import GraphReads

NAMESAKES = 8  # a title that more visible documents bear names none of them
_Claim = tuple[EdgeEvidence, int]


def outgoing(
    window: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Settled edges that leave these nodes; claims compete within the whole document."""
    documents = tuple(dict.fromkeys(document_of(node) for node in nodes))
    winners = confirm_inverses(resolve_ambiguity(window.edges(documents, "out", relations)), window)
    if documents == nodes:
        return winners
    own = {relationship.edge for relationship in window.edges(nodes, "out", relations)}
    return tuple(winner for winner in winners if winner.edge in own)


def incoming(
    window: GraphReads, nodes: tuple[str, ...], relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    entering = window.edges(nodes, "in", relations)
    senders = tuple(dict.fromkeys(document_of(found.edge.source) for found in entering))
    settled_out = confirm_inverses(
        resolve_ambiguity(window.edges(senders, "out", relations)), window
    )
    winners = {winner.edge: winner for winner in settled_out}
    return tuple(winners[found.edge] for found in entering if found.edge in winners)


def incident_edges(
    node: str, window: GraphReads, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    """Settled edges that leave or enter this node, or any part of this document; sorted."""
    both = (*outgoing(window, (node,), relations), *incoming(window, (node,), relations))
    found = {winner.edge: winner for winner in both}
    ends = ((edge, (edge.source, edge.target)) for edge in sorted(found))
    return tuple(
        found[edge] for edge, pair in ends if node in pair or node in map(document_of, pair)
    )


def confirm_inverses(
    winners: tuple[Relationship, ...], window: GraphReads
) -> tuple[Relationship, ...]:
    """An inverse that another document's words say holds if they still do once it has settled."""
    said_there = tuple(winner for winner in winners if _is_said_elsewhere(winner))
    if not said_there:
        return winners
    speakers = tuple(dict.fromkeys(document_of(winner.edge.target) for winner in said_there))
    said = resolve_ambiguity(window.edges(speakers, "out", frozenset(INVERSES)))
    held = {forward.edge for forward in said}
    lost = {winner.edge for winner in said_there if inverse(winner.edge) not in held}
    return tuple(winner for winner in winners if winner.edge not in lost)


def _is_said_elsewhere(found: Relationship) -> bool:
    places = found.evidence
    return found.edge.relation in INVERSES and not any(e.end > e.start for e in places)


def resolve_ambiguity(relationships: tuple[Relationship, ...]) -> tuple[Relationship, ...]:
    """Longest claim wins, then lowest rank; what stays tied between too many names none.

    Who names a part of a document does not name the whole of it by the same words.
    """
    contests: defaultdict[tuple[str, str], list[_Claim]] = defaultdict(list)
    for index, found in enumerate(relationships):
        for evidence in found.evidence:
            if evidence.end > evidence.start:
                key = (document_of(found.edge.source), found.edge.relation)
                contests[key].append((evidence, index))
    lost: set[_Claim] = set()
    for (_, relation), claims in contests.items():
        check_cancelled()
        allowed = NAMESAKES if relation == "mentions" else 1
        lost.update(_losers(claims, relationships, allowed))
    return tuple(_survivors(relationships, lost))


def _losers(
    claims: list[_Claim], relationships: tuple[Relationship, ...], allowed: int
) -> Iterable[_Claim]:
    spans: defaultdict[tuple[int, int], list[_Claim]] = defaultdict(list)
    for claim in claims:
        spans[(claim[0].start, claim[0].end)].append(claim)
    reach = -1
    for (_, end), rivals in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if end <= reach:
            yield from rivals
            continue
        reach = end
        best = min(evidence.rank for evidence, _ in rivals)
        tied = [claim for claim in rivals if claim[0].rank == best]
        yield from (claim for claim in rivals if claim[0].rank != best)
        targets = {relationships[index].edge.target for _, index in tied}
        if len(set(map(document_of, targets))) > allowed:
            yield from tied
            continue
        around = {document_of(target) for target in targets if target != document_of(target)}
        yield from (claim for claim in tied if relationships[claim[1]].edge.target in around)


def _survivors(
    relationships: tuple[Relationship, ...], lost: set[_Claim]
) -> Iterable[Relationship]:
    """What a person said stands, even where mining claimed the same and lost."""
    for index, found in enumerate(relationships):
        kept = tuple(evidence for evidence in found.evidence if (evidence, index) not in lost)
        if kept or not found.evidence:
            yield Relationship(found.edge, found.origins, kept)
        elif MANUAL in found.origins:
            yield Relationship(found.edge, (MANUAL,), kept)


# The allow-list of relations that planning actions share: absent is all, empty is none.


def known_relations(options: Mapping[str, object]) -> str | None:
    """An unknown relation is an error that names what would fit."""
    named = options.get("relations")
    for name in named if isinstance(named, tuple) else ():
        if name not in RELATIONS:
            return f"no relation is called {name!r}; {suggest(name, RELATIONS)}"
    return None


def relation_filter(relations: tuple[str, ...] | None) -> frozenset[str] | None:
    """What a graph is asked for; None is every relation but `contains`, which takes no place."""
    return None if relations is None else frozenset(relations)


def first_mention(relationship: Relationship) -> int:
    """Where the source first says so; a hand-made edge without a place comes first."""
    return min((evidence.start for evidence in relationship.evidence), default=-1)
