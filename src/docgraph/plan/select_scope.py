"""select_scope: keep the primary document or the tight cluster around it, and say why."""

from typing import Annotated

from annotated_types import Interval

from docgraph.contract import action
from docgraph.model.identity import repository_of
from docgraph.model.seeds import Seed, Seeds, Selection
from docgraph.ports.search_reads import SearchReads

# Below half of the best score a candidate stands in one ranking only, and not high in it.
CLUSTER = 0.4


@action()
def select_scope(
    seeds: Seeds,
    window: SearchReads,
    *,
    repository: bool = True,
    kind: bool = True,
    cluster: Annotated[float, Interval(ge=0, le=1)] = CLUSTER,
) -> Seeds:
    """Same ingestion, same kind, and at least `cluster` of the best score (0: any score).

    The primary is the first seed and always stays. A seed that defines a name in the question
    is close whatever its score.
    """
    if not seeds.ranked:
        return seeds
    primary = seeds.ranked[0]
    kinds = window.kinds(seeds.ids)
    best = max(seed.score for seed in seeds.ranked)

    def close(seed: Seed) -> bool:
        """Scores may be negative, which no share of the best one measures."""
        return not cluster or best <= 0 or seed.score >= cluster * best

    def belongs(seed: Seed) -> bool:
        return seed is primary or (
            (not repository or repository_of(seed.id) == repository_of(primary.id))
            and (not kind or kinds.get(seed.id) == kinds.get(primary.id))
            and (close(seed) or seed.why.startswith("defines "))
        )

    kept = tuple(seed for seed in seeds.ranked if belongs(seed))
    rules = [f"repository {repository_of(primary.id)}"] if repository else []
    rules += [f"kind {kinds.get(primary.id)}"] if kind else []
    rules += [f"at least {cluster:g} of the best score"] if cluster else []
    return Seeds(
        ranked=kept,
        search=seeds.search,
        selection=Selection(
            rule="dominant" if rules else "all",
            reason=f"like {primary.id}: {', '.join(rules)}" if rules else "every candidate kept",
            dropped=tuple(seed.id for seed in seeds.ranked if seed not in kept),
        ),
    )
