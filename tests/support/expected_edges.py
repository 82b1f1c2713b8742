"""References and definitions joined in memory: the edges that every store must give."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.model.document import Document
from docgraph.model.edge import SHARES_ENTITY, Relationship
from docgraph.model.link import (
    Definer,
    Meaning,
    NameHolder,
    ReferenceGroup,
    edges_of,
    group_references,
    inverse_edges_of,
    merge_edges,
    shared_name_edges,
)
from docgraph.model.node import path_of
from docgraph.model.reference import Reference


def expected_edges(
    documents: Iterable[Document], miners: frozenset[str] = ALL_MINERS
) -> tuple[Relationship, ...]:
    """Every edge from these documents' references to definitions, before ambiguity is resolved."""
    halves = tuple(documents)
    groups = tuple(reference_groups(halves, miners))
    return merge_edges(
        (*edges_of(groups), *inverse_edges_of(groups), *shared_names(halves, miners))
    )


def reference_groups(
    documents: Sequence[Document], miners: frozenset[str]
) -> Iterator[ReferenceGroup]:
    """Each reference by itself."""
    offered = definitions_by_key(documents)
    held = nodes_of(documents)
    for document in documents:
        for reference in counted_references(document, miners):
            if reference.relation != SHARES_ENTITY:
                found = offered[reference.target.key]
                definers = [Definer(node, path_of(node), rank) for node, rank in found]
                place = (reference.line, reference.start, reference.end)
                positions = [(*place, reference.text, reference.miner)]
                yield group_references(meaning_of(document, reference), definers, held, positions)


def meaning_of(document: Document, reference: Reference) -> Meaning:
    return Meaning(
        source=document.id + reference.suffix,
        relation=reference.relation,
        path=document.path,
        rank=reference.target.rank,
        distance_weight=reference.target.distance_weight,
        inner=reference.target.inner,
        strict=reference.target.strict,
    )


def shared_names(documents: Sequence[Document], miners: frozenset[str]) -> Iterator[Relationship]:
    holders: defaultdict[str, list[NameHolder]] = defaultdict(list)
    for document in documents:
        for reference in counted_references(document, miners):
            if reference.relation == SHARES_ENTITY:
                holders[reference.target.key].append(
                    NameHolder(document.id, document.path, reference.line, reference.text)
                )
    for held in holders.values():
        for holder in held:
            yield from shared_name_edges(holder.document, held, "names")


def is_resolved(
    reference: Reference, offered: defaultdict[str, list[tuple[str, int]]], held: frozenset[str]
) -> bool:
    target = reference.target
    return any(not target.strict or node + target.inner in held for node, _ in offered[target.key])


def definitions_by_key(documents: Iterable[Document]) -> defaultdict[str, list[tuple[str, int]]]:
    """The nodes that define each key, with their best rank."""
    best: dict[tuple[str, str], int] = {}
    for document in documents:
        for offer in sorted(document.definitions):
            best.setdefault((offer.key, document.id + offer.suffix), offer.rank)
    by_key: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for (key, node), rank in best.items():
        by_key[key].append((node, rank))
    return by_key


def nodes_of(documents: Iterable[Document]) -> frozenset[str]:
    return frozenset(node.id for document in documents for node in document.nodes)


def counted_references(document: Document, miners: frozenset[str]) -> Iterator[Reference]:
    return (reference for reference in document.references if reference.miner in miners)
