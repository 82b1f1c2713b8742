"""What can be switched off in a set's graph: every edge, a miner, a relation."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.model.edge import CONTAINS, INVERSES, RelationCounts

IMPORTED = "imported"
Edges = Counter[tuple[str, str]]  # by who found them, and by relation


@dataclass(frozen=True, slots=True)
class Switch:
    """Edges of the touched relations are held out, or a miner (or `imported`) is left out.

    It is left out only if it shares a relation with another; else the two come to the same.
    """

    name: str
    edges: int
    touches: frozenset[str]
    miner: str | None = None


def edges_by_origin(counts: Iterable[RelationCounts]) -> Edges:
    """Over all snapshots; containment is not counted, because planning does not follow it."""
    edges: Edges = Counter()
    for count in counts:
        for found in count.by_origin:
            if found.relation != CONTAINS:
                edges[found.origin, found.relation] += found.edges
    return Counter({key: number for key, number in edges.items() if number})


def switches(edges: Edges, relations: Counter[str]) -> tuple[Switch, ...]:
    """Every edge first, then miners, then relations, each with its inverse.

    A relation that one miner finds, and that finds nothing else, is switched off with it.
    """
    if not edges:
        return ()
    finds = {by: frozenset(r for o, r in edges if o == by) for by in sorted({o for o, _ in edges})}
    miners = tuple(
        Switch(
            _name_of(by, found),
            sum(edges[by, relation] for relation in found),
            found,
            None if _is_only_source(by, finds) else by,
        )
        for by, found in finds.items()
        if by == IMPORTED or by in ALL_MINERS
    )
    kinds = sorted({tuple(sorted({r, INVERSES.get(r, r)})) for _, r in edges})
    alone = tuple(
        Switch(
            " and ".join(f"`{r}`" for r in kind), sum(relations[r] for r in kind), frozenset(kind)
        )
        for kind in kinds
        if sum(not found.isdisjoint(kind) for found in finds.values()) > 1
        or not any(found <= frozenset(kind) for found in finds.values())
    )
    every = Switch("every edge", relations.total(), frozenset().union(*finds.values()))
    return (every, *miners, *alone)


def _is_only_source(by: str, finds: Mapping[str, frozenset[str]]) -> bool:
    both = finds[by] | {INVERSES[r] for r in finds[by] if r in INVERSES}
    return all(both.isdisjoint(found) for other, found in finds.items() if other != by)


def _name_of(by: str, found: frozenset[str]) -> str:
    what = "imported edges" if by == IMPORTED else f"miner `{by}`"
    return f"{what} ({', '.join(sorted(found))})"
