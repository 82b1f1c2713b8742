"""Halves of edges joined in memory: what any store must give for the same visible documents."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.model.document import Document
from docgraph.model.edge import SHARES_ENTITY, Relationship
from docgraph.model.link import (
    NameHolder,
    ReferenceMatch,
    edges_of,
    inverse_edges_of,
    merge_edges,
    shared_name_edges,
)
from docgraph.model.node import path_of
from docgraph.model.reference import Definition, Reference


def joined(
    documents: Iterable[Document], miners: frozenset[str] = ALL_MINERS
) -> tuple[Relationship, ...]:
    """Every edge that these documents' claims and offers make, before anyone settles them."""
    halves = tuple(documents)
    met = tuple(meetings(halves, miners))
    return merge_edges((*edges_of(met), *inverse_edges_of(met), *shared_names(halves, miners)))


def meetings(documents: Sequence[Document], miners: frozenset[str]) -> Iterator[ReferenceMatch]:
    offered = offers_by_key(documents)
    held = nodes_of(documents)
    for document in documents:
        for claim in counted(document, miners):
            if claim.relation != SHARES_ENTITY:
                for offer in offered[claim.key]:
                    yield meeting(document.path, claim, offer, held)


def meeting(path: str, claim: Reference, offer: Definition, held: frozenset[str]) -> ReferenceMatch:
    return ReferenceMatch(
        source=claim.source,
        relation=claim.relation,
        path=path,
        line=claim.line,
        start=claim.start,
        end=claim.end,
        says=claim.says,
        miner=claim.miner,
        rank=claim.rank,
        near=claim.near,
        inner=claim.inner,
        strict=claim.strict,
        target=offer.node,
        target_path=path_of(offer.node),
        target_rank=offer.rank,
        inner_exists=offer.node + claim.inner in held,
    )


def shared_names(documents: Sequence[Document], miners: frozenset[str]) -> Iterator[Relationship]:
    holders: defaultdict[str, list[NameHolder]] = defaultdict(list)
    for document in documents:
        for claim in counted(document, miners):
            if claim.relation == SHARES_ENTITY:
                holders[claim.key].append(
                    NameHolder(document.id, document.path, claim.line, claim.says)
                )
    for held in holders.values():
        for holder in held:
            yield from shared_name_edges(holder.document, held, "names")


def is_answered(
    claim: Reference, offered: defaultdict[str, list[Definition]], held: frozenset[str]
) -> bool:
    return any(not claim.strict or offer.node + claim.inner in held for offer in offered[claim.key])


def offers_by_key(documents: Iterable[Document]) -> defaultdict[str, list[Definition]]:
    """A node's best offer of each key."""
    best: dict[tuple[str, str], Definition] = {}
    for document in documents:
        for offer in sorted(document.definitions):
            best.setdefault((offer.key, offer.node), offer)
    by_key: defaultdict[str, list[Definition]] = defaultdict(list)
    for (key, _), offer in best.items():
        by_key[key].append(offer)
    return by_key


def nodes_of(documents: Iterable[Document]) -> frozenset[str]:
    return frozenset(node.id for document in documents for node in document.nodes)


def counted(document: Document, miners: frozenset[str]) -> Iterator[Reference]:
    return (claim for claim in document.references if claim.miner in miners)
