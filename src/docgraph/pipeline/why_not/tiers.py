"""Tiers: in which order levers are tried, nearest to where a node fell out first."""

from docgraph.model.why_not import Stage
from docgraph.pipeline.why_not.next_budget import ASSEMBLE, WHOLE_TEXTS
from docgraph.pipeline.why_not.roads import NEIGHBOURS, TREE
from docgraph.pipeline.why_not.search_stands import SCOPE
from docgraph.pipeline.why_not.stage import SEARCH

Tier = tuple[tuple[str, str], ...]

# Of the levers in one tier the smallest step counts; the first tier that helps is taken.
_SEARCH: tuple[Tier, ...] = (((SEARCH, "pool"),), ((SEARCH, "top"),))
_RANK: tuple[Tier, ...] = (((SEARCH, "top"),), ((SEARCH, "per_document"),))
_SCOPE: tuple[Tier, ...] = (
    *(((SCOPE, "cluster"),), ((SCOPE, "kind"),), ((SCOPE, "repository"),), ((SCOPE, ""),)),
)
_RELATION: tuple[Tier, ...] = (
    ((NEIGHBOURS, "relations"), (TREE, "relations")),
    ((NEIGHBOURS, "seed_places"), (TREE, "max_depth")),
    ((TREE, "direction"),),
)
_CAP: tuple[Tier, ...] = (
    ((NEIGHBOURS, "documents"), (NEIGHBOURS, "seed_places"), (TREE, "max_nodes")),
)
_FETCH: tuple[Tier, ...] = (
    (("fetch_evidence", "per_document"), ("fetch_evidence", "in_all")),
    ((WHOLE_TEXTS, "max_chars"), (WHOLE_TEXTS, "max_tokens")),
)
_BUDGET: tuple[Tier, ...] = (((ASSEMBLE, "max_tokens"),),)
_MODE: tuple[Tier, ...] = (((SEARCH, "mode"),),)
_BEFORE_A_PLAN = (*_RANK, *_SCOPE, *_RELATION, *_CAP, *_SEARCH, *_MODE)
_OWN: dict[Stage, tuple[Tier, ...]] = {
    "search": (*_SEARCH, *_MODE),
    "rank": (*_RANK, *_SEARCH, *_MODE),
    "scope": _SCOPE,
    "relation": _RELATION,
    "cap": _CAP,
    "fetch": _FETCH,
    "budget": _BUDGET,
}


def own_tiers(stage: Stage) -> tuple[Tier, ...]:
    """Levers of the very step at which it fell out."""
    return _OWN.get(stage, ())


def all_tiers(stage: Stage) -> tuple[Tier, ...]:
    """Those first, then all of earlier steps: a later step cannot bring back what never came."""
    others = {"fetch": _BEFORE_A_PLAN, "budget": (*_FETCH, *_BEFORE_A_PLAN)}
    return tuple(dict.fromkeys((*own_tiers(stage), *others.get(stage, _BEFORE_A_PLAN))))
