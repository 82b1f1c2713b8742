"""Admission: who gets the places of a plan, and in which order they stand there."""

from collections.abc import Mapping
from typing import NamedTuple

from docgraph.model.identity import document_of
from docgraph.model.plan import Expansion
from docgraph.model.seeds import Seeds
from docgraph.plan.lift import Lifted


class Admitted(NamedTuple):
    seeds: tuple[str, ...]
    expanded: tuple[Expansion, ...]
    order: tuple[str, ...]


class Claim(NamedTuple):
    """Of a seed or a neighbour on a place. Seeds come before neighbours who stand no better."""

    below: float
    is_neighbour: bool
    turn: int
    node: str
    expansion: Expansion | None


def filled(
    seeds: Seeds, first: tuple[str, ...], found: tuple[Expansion, ...], documents: int
) -> Admitted:
    """The first seeds, then neighbours while there is room, then further seeds in free places."""
    roots = {document_of(seed) for seed in first}
    admitted = found[: documents - len(roots)]
    expanded = tuple(expansion.document_id for expansion in admitted)
    taken = roots.union(expanded)
    others = [root for root in dict.fromkeys(map(document_of, seeds.ids)) if root not in taken]
    further = frozenset(others[: documents - len(taken)])
    kept = tuple(seed for seed in seeds.ids if document_of(seed) in roots | further)
    turn = next((at for at, seed in enumerate(kept) if document_of(seed) in further), len(kept))
    return Admitted(kept, admitted, kept[:turn] + expanded + kept[turn:])


def contested(
    seeds: tuple[str, ...],
    own: Mapping[str, float],
    raised: Mapping[str, Lifted],
    documents: int,
) -> Admitted:
    """All by how they stand, as many documents as there is room for. Seeds keep their order.

    A seed that an edge lifts stands where the edge lifts it to.
    """
    taken: dict[str, bool] = {}
    kept: list[Claim] = []
    for claim in sorted((*_of_seeds(seeds, own), *_of_neighbours(raised)), key=lambda c: c[:3]):
        root = document_of(claim.node)
        if root not in taken and len(taken) < documents:
            taken[root] = claim.is_neighbour
        if taken.get(root) == claim.is_neighbour:
            kept.append(claim)
    return Admitted(
        tuple(claim.node for claim in kept if not claim.is_neighbour),
        tuple(claim.expansion for claim in kept if claim.expansion is not None),
        tuple(claim.node for claim in kept),
    )


def _of_seeds(seeds: tuple[str, ...], own: Mapping[str, float]) -> list[Claim]:
    """Who was put first, for a name it defines, stands no lower than the next."""
    claims: list[Claim] = []
    below = 0.0
    for turn, seed in reversed(tuple(enumerate(seeds))):
        standing = -own[document_of(seed)]
        below = min(standing, below) if claims else standing
        claims.append(Claim(below, False, turn, seed, None))
    return claims


def _of_neighbours(raised: Mapping[str, Lifted]) -> list[Claim]:
    return [
        Claim(-one.score, True, turn, root, one.expansion)
        for turn, (root, one) in enumerate(raised.items())
    ]
