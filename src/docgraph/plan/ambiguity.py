"""Resolves ambiguity: which of several edges from the same characters is followed.

Mining stores every candidate, so that an edge depends on its two ends alone; which of them wins
is decided here, per question, over what the reader can see.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from docgraph.model.edge import MANUAL, Relationship
from docgraph.model.identifiers import MAX_TITLE_HOLDERS
from docgraph.model.link import MAX_EVIDENCE, EdgeCandidates, candidates_of
from docgraph.model.node import document_of
from docgraph.ports.cancellation import check_cancelled

EdgeKey = tuple[str, str, str]  # source, relation, target
RankedSpan = tuple[int, int, int]  # start, end, rank
_Competing = dict[tuple[int, int], list[EdgeCandidates]]  # by start and end


def resolve_ambiguity(relationships: Iterable[Relationship]) -> tuple[Relationship, ...]:
    """The longest span wins, then the lowest rank; a tie between too many documents has no winner.

    A text that names a part of a document does not name the whole document as well. A manual edge
    survives, even where mining proposed the same edge and lost. Evidence is limited after all of
    it has competed: an early position must not hide a later one.
    """
    found = tuple(relationships)
    spans = surviving_spans(candidate for one in found for candidate in candidates_of(one))
    resolved: list[Relationship] = []
    for one in found:
        own = spans.get((one.edge.source, one.edge.relation, one.edge.target))
        if own is not None:
            won = frozenset(own)
            evidence = tuple(e for e in one.evidence if (e.start, e.end, e.rank) in won)
            origins = one.origins if evidence or not one.evidence else (MANUAL,)
            resolved.append(Relationship(one.edge, origins, evidence[:MAX_EVIDENCE]))
    return tuple(resolved)


def surviving_spans(candidates: Iterable[EdgeCandidates]) -> dict[EdgeKey, list[RankedSpan]]:
    """Every edge that survives, with the spans that refer to it and have won."""
    found = tuple(candidates)
    won: defaultdict[EdgeKey, list[RankedSpan]] = defaultdict(list)
    competing: defaultdict[tuple[str, str], _Competing] = defaultdict(dict)
    for one in found:
        of_document = competing[document_of(one.source), one.relation]
        for start, end in one.spans:
            if end > start:
                of_document.setdefault((start, end), []).append(one)
            else:
                for target, rank in one.targets:
                    won[one.source, one.relation, target].append((start, end, rank))
    for (_, relation), spans in competing.items():
        check_cancelled()
        _add_winners(won, spans, MAX_TITLE_HOLDERS if relation == "mentions" else 1)
    _add_stated(won, found)
    return dict(won)


def _add_winners(
    won: dict[EdgeKey, list[RankedSpan]], spans: _Competing, max_documents: int
) -> None:
    """Of one document and relation. The same candidates have the same winners wherever they are."""
    decided: dict[tuple[int, ...], tuple[int, list[EdgeKey]]] = {}
    covered = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= covered:
            continue
        covered = end
        same_span = spans[start, end]
        key = tuple(map(id, same_span))
        if key not in decided:
            decided[key] = _winners(same_span, max_documents)
        rank, edges = decided[key]
        for edge in edges:
            won[edge].append((start, end, rank))


def _winners(same_span: Sequence[EdgeCandidates], max_documents: int) -> tuple[int, list[EdgeKey]]:
    best = min(rank for one in same_span for _, rank in one.targets)
    tied = [(one, target) for one in same_span for target, rank in one.targets if rank == best]
    documents = {target: document_of(target) for _, target in tied}
    if len(set(documents.values())) > max_documents:
        return best, []
    wholes = {document for target, document in documents.items() if document != target}
    edges = {(one.source, one.relation, target) for one, target in tied if target not in wholes}
    return best, sorted(edges)


def _add_stated(won: dict[EdgeKey, list[RankedSpan]], candidates: Sequence[EdgeCandidates]) -> None:
    """Manual edges, and those that have no evidence at all."""
    bare = [one for one in candidates if one.manual or not one.spans]
    keys = {(one.source, one.relation) for one in bare}
    shown = {
        (*key, target)
        for one in candidates
        if one.spans and (key := (one.source, one.relation)) in keys
        for target, _ in one.targets
    }
    for one in bare:
        for target, _ in one.targets:
            edge = one.source, one.relation, target
            if one.manual or edge not in shown:
                won.setdefault(edge, [])
