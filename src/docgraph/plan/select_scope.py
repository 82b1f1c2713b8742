"""select_scope: keep the first seed and the dominant repository, kind and score cluster."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal, TypeVar

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.node import document_of, repository_of
from docgraph.model.seeds import Seed, Seeds, Selection
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.search_reads import SearchReads

# A dominant value has two thirds of the candidates' score; a bare majority is not enough.
DEFAULT_SHARE = 0.66
# Measured: below a third of the best score a candidate is hardly ever relevant.
DEFAULT_CLUSTER = 0.3

_UNKNOWN = SnapshotName("", "", 0)

Value = TypeVar("Value", str, SnapshotName)


@action()
def select_scope(
    seeds: Seeds,
    reads: SearchReads,
    *,
    repository: bool | Literal["ingestion"] = True,
    kind: bool = True,
    share: Annotated[float, Interval(gt=0.5, le=1)] = DEFAULT_SHARE,
    cluster: Annotated[float, Interval(ge=0, le=1)] = DEFAULT_CLUSTER,
) -> Seeds:
    """Keeps seeds of the dominant repository and kind, and close to the best score.

    A repository or kind dominates when its candidates have `share` of all their scores; without
    a dominant one nothing is excluded for it. With `repository: ingestion` the ingestions that
    brought the documents are compared in place of repositories. `cluster` is the part of the best
    score that a candidate needs (0: any score). The first seed, and a seed that defines a name in
    the question, always stay.
    """
    kinds = reads.kinds(seeds.ids)
    selected, reasons = seeds.ranked, list[str]()
    if repository == "ingestion":
        brought = reads.ingestions(seeds.ids)
        # Its number counts hidden ingests: the plan names it by a document that it brought.
        selected, reason = _dominant(
            selected,
            lambda seed: brought.get(seed.id, _UNKNOWN),
            share,
            lambda seed: f"ingestion of {document_of(seed.id)}",
        )
        reasons.append(reason or "no ingestion dominates")
    elif repository:
        selected, reason = _dominant(
            selected,
            lambda seed: repository_of(seed.id),
            share,
            lambda seed: f"repository {repository_of(seed.id)}",
        )
        reasons.append(reason or "no repository dominates")
    if kind:
        selected, reason = _dominant(
            selected,
            lambda seed: kinds.get(seed.id, ""),
            share,
            lambda seed: f"kind {kinds.get(seed.id, '')}",
        )
        reasons.append(reason or "no kind dominates")
    if cluster:
        selected = _near_best(selected, cluster)
        reasons.append(f"at least {cluster:g} of the best score")
    if not seeds.ranked or not reasons:
        return seeds
    return replace(
        seeds,
        ranked=selected,
        selection=Selection(
            rule="dominant",
            reason="; ".join(reasons),
            dropped=tuple(seed.id for seed in seeds.ranked if seed not in selected),
        ),
    )


def _dominant(
    seeds: tuple[Seed, ...],
    trait: Callable[[Seed], Value],
    share: float,
    describe: Callable[[Seed], str],
) -> tuple[tuple[Seed, ...], str]:
    """Seeds of the value that has `share` of the scores, and its description by the first of them.

    If none has, all seeds, and no description.
    """
    totals: dict[Value, float] = {}
    for seed in seeds:
        totals[trait(seed)] = totals.get(trait(seed), 0.0) + max(seed.score, 0.0)
    total = sum(totals[value] for value in sorted(totals))
    best = min(totals, key=lambda value: (-totals[value], value), default=None)
    if best is None or total <= 0 or totals[best] < share * total:
        return seeds, ""
    first = next(seed for seed in seeds if trait(seed) == best)
    selected = tuple(seed for seed in seeds if _always_stays(seed, seeds) or trait(seed) == best)
    return selected, f"{describe(first)} dominates"


def _near_best(seeds: tuple[Seed, ...], cluster: float) -> tuple[Seed, ...]:
    """Seeds with `cluster` of the best score; all seeds if no score is positive."""
    best = max((seed.score for seed in seeds), default=0.0)
    floor = cluster * best if best > 0 else float("-inf")
    return tuple(seed for seed in seeds if _always_stays(seed, seeds) or seed.score >= floor)


def _always_stays(seed: Seed, seeds: tuple[Seed, ...]) -> bool:
    return seed is seeds[0] or seed.why.startswith("defines ")
