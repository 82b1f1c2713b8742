"""select_scope: keep the primary document and the cluster that dominates, and say why."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.node import repository_of
from docgraph.model.seeds import Seed, Seeds, Selection
from docgraph.ports.search_reads import SearchReads

# What dominates holds two thirds of the candidates' score; a bare majority is no cluster.
SHARE = 0.66
# Measured: below a third of the best score a candidate is hardly ever what was asked for.
CLUSTER = 0.3


@action()
def select_scope(
    seeds: Seeds,
    window: SearchReads,
    *,
    repository: bool = True,
    kind: bool = True,
    share: Annotated[float, Interval(gt=0.5, le=1)] = SHARE,
    cluster: Annotated[float, Interval(ge=0, le=1)] = CLUSTER,
) -> Seeds:
    """Same ingestion, same kind, close in score: whatever dominates the candidates.

    A repository or kind dominates when its candidates hold `share` of all their scores; without
    a dominant one nothing is left out for it. `cluster` is the part of the best score that a
    candidate needs (0: any score). The primary, which is the first seed, and a seed that defines
    a name in the question always stay.
    """
    kinds = window.kinds(seeds.ids)
    kept, reasons = seeds.ranked, list[str]()
    if repository:
        kept, reason = _dominant(kept, "repository", lambda s: repository_of(s.id), share)
        reasons.append(reason)
    if kind:
        kept, reason = _dominant(kept, "kind", lambda seed: kinds.get(seed.id, ""), share)
        reasons.append(reason)
    if cluster:
        kept = _close(kept, cluster)
        reasons.append(f"at least {cluster:g} of the best score")
    if not seeds.ranked or not reasons:
        return seeds
    return replace(
        seeds,
        ranked=kept,
        selection=Selection(
            rule="dominant",
            reason="; ".join(reasons),
            dropped=tuple(seed.id for seed in seeds.ranked if seed not in kept),
        ),
    )


def _dominant(
    seeds: tuple[Seed, ...], name: str, trait: Callable[[Seed], str], share: float
) -> tuple[tuple[Seed, ...], str]:
    """Those of the trait that holds `share` of the scores; all of them when none does."""
    mass: dict[str, float] = {}
    for seed in seeds:
        mass[trait(seed)] = mass.get(trait(seed), 0.0) + max(seed.score, 0.0)
    total = sum(mass[value] for value in sorted(mass))
    best = min(mass, key=lambda value: (-mass[value], value), default="")
    if total <= 0 or mass[best] < share * total:
        return seeds, f"no {name} dominates"
    kept = tuple(seed for seed in seeds if _stays(seed, seeds) or trait(seed) == best)
    return kept, f"{name} {best} dominates"


def _close(seeds: tuple[Seed, ...], cluster: float) -> tuple[Seed, ...]:
    """Scores may be negative, which no share of the best one measures."""
    best = max((seed.score for seed in seeds), default=0.0)
    floor = cluster * best if best > 0 else float("-inf")
    return tuple(seed for seed in seeds if _stays(seed, seeds) or seed.score >= floor)


def _stays(seed: Seed, seeds: tuple[Seed, ...]) -> bool:
    return seed is seeds[0] or seed.why.startswith("defines ")
