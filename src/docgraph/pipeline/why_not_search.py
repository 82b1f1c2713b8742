"""How a node stood in search and in the scope that was selected."""

from docgraph.model.seeds import Seed, Seeds
from docgraph.model.why_not import Change, Stand
from docgraph.pipeline.why_not_sought import Sought
from docgraph.pipeline.why_not_stage import SEARCH
from docgraph.pipeline.why_not_trials import Trials, Tried

SCOPE = "select_scope"


def searched(tried: Tried, sought: Sought, trials: Trials) -> tuple[Stand, ...]:
    """Its place among the candidates; nothing where ids were named instead."""
    found = tried.at(SEARCH)
    if found is None:
        return ()
    step, seeds = found
    own = sought.among(seeds.ids)
    if own:
        place, seed = _first(seeds, own)
        words = f"seed {place} of {len(seeds.ids)}, score {seed.score:g}: {seed.why}"
        return (Stand(SEARCH, True, words, (("rank", place), ("score", seed.score))),)
    many = len(seeds.standing.scores)
    below = rank_of(tried, sought, trials)
    if below is None:
        pool = dict(seeds.search)["pool"]
        words = f"not among the {many} candidates of search"
        return (Stand(SEARCH, False, words, (("candidates", many), ("pool", int(pool or 0)))),)
    top: int = step.options["top"]
    return (_below(seeds, *below, top, max(many, below[0])),)


def _below(seeds: Seeds, rank: int, score: float, top: int, candidates: int) -> Stand:
    last = seeds.ranked[-1].score if seeds.ranked else 0.0
    if rank <= top:
        words = "a candidate, but so many others of its document stand before it"
        return Stand(SEARCH, False, words, (("rank", rank), ("top", top), ("score", score)))
    words = (
        f"rank {rank} of {candidates} candidates, {top} are taken; "
        f"score {score:g}, the last one taken has {last:g}"
    )
    numbers = (("rank", rank), ("top", top), ("candidates", candidates), ("score", score))
    return Stand(SEARCH, False, words, (*numbers, ("last", last), ("short", round(last - score, 12))))


def rank_of(tried: Tried, sought: Sought, trials: Trials) -> tuple[int, float] | None:
    """Its place and score as a candidate, with as many places as there are candidates."""
    found = tried.at(SEARCH)
    if found is None:
        return None
    step, seeds = found
    pool = int(dict(seeds.search)["pool"] or 0)
    changes = tuple(
        Change(SEARCH, name, None, value) for name, value in {**step.options, "top": pool}.items()
    )
    deep = trials.run(changes, up_to=Seeds)
    ranked: Seeds = deep.at(SEARCH)[1] if deep is not None and deep.at(SEARCH) else seeds
    own = sought.among(ranked.ids)
    if own:
        place, seed = _first(ranked, own)
        return place, seed.score
    ids = tuple(node for node, _ in seeds.standing.scores)
    own = sought.among(ids)
    if not own:
        return None
    place = ids.index(own[0])
    return place + 1, seeds.standing.scores[place][1]


def scoped(tried: Tried, sought: Sought) -> tuple[Stand, ...]:
    """Whether the dominant scope kept it; nothing where search did not hand it on."""
    found = tried.at(SEARCH)
    if found is None or tried.at(SCOPE) is None:
        return ()
    own = sought.among(found[1].ids)
    if not own:
        return ()
    kept = tried.get(Seeds)
    place, seed = _first(found[1], own)
    best = max(one.score for one in found[1].ranked)
    share = round(seed.score / best, 3) if best > 0 else 0.0
    numbers = (("score", seed.score), ("best", best), ("share", share))
    reason = kept.selection.reason
    if sought.among(kept.ids):
        return (Stand(SCOPE, True, f"kept: {reason}", numbers),)
    words = f"left out of scope ({reason}): seed {place} has {share:g} of the best score"
    return (Stand(SCOPE, False, words, numbers),)


def _first(seeds: Seeds, own: tuple[str, ...]) -> tuple[int, Seed]:
    place = seeds.ids.index(own[0])
    return place + 1, seeds.ranked[place]
