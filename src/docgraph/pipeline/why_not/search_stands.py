"""How a node stood in search and in the scope that was selected."""

from docgraph.model.seeds import Seed, Seeds
from docgraph.model.why_not import Change, Numbers, Stand
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.why_not.sought import Sought
from docgraph.pipeline.why_not.stage import SEARCH
from docgraph.pipeline.why_not.trials import Trials, Tried
from docgraph.search.fuse import DIGITS

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
    return (_below(step, seeds, *below),)


def _below(step: Step, seeds: Seeds, rank: int, score: float) -> Stand:
    top, several = step.options["top"], step.options["per_document"]
    numbers: Numbers = (("rank", rank), ("top", top), ("score", score))
    if rank <= top:
        words = f"a candidate, but {several} others of its document come before it"
        return Stand(SEARCH, False, words, (*numbers, ("per_document", several)))
    last = seeds.ranked[-1].score if seeds.ranked else 0.0
    many = max(len(seeds.standing.scores), rank)
    words = (
        f"rank {rank} of {many} candidates, {top} are taken; "
        f"score {score:g}, the last one taken has {last:g}"
    )
    short = ("short", round(last - score, DIGITS))
    return Stand(SEARCH, False, words, (*numbers, ("candidates", many), ("last", last), short))


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
    all_ = deep.at(SEARCH) if deep else None
    ranked: Seeds = all_[1] if all_ else seeds
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
