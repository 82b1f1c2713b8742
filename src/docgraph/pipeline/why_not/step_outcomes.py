"""The way of a node through one run: how it stood at each step, up to where it fell out."""

from docgraph.action import Action
from docgraph.model.context import Context
from docgraph.model.evidence import RetrievedContext
from docgraph.model.explanation import Numbers, OptionChange, StepOutcome
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seed, Seeds
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.why_not.stages import SEARCH, fetched, highest, missing, shown
from docgraph.pipeline.why_not.target import (
    NEIGHBOURS,
    TREE,
    Target,
    closest,
    senders,
    untaken_edges,
)
from docgraph.pipeline.why_not.trials import TrialRun, TrialRunner
from docgraph.search.ranking import DIGITS

# How a node stood in search and in the scope that was selected.


SCOPE = "select_scope"


def searched(tried: TrialRun, sought: Target, trials: TrialRunner) -> tuple[StepOutcome, ...]:
    """Its place among the candidates; nothing where ids were named instead."""
    found = tried.at(SEARCH)
    if found is None:
        return ()
    step, seeds = found
    own = sought.among(seeds.ids)
    if own:
        place, seed = _first(seeds, own)
        words = f"seed {place} of {len(seeds.ids)}, score {seed.score:g}: {seed.why}"
        return (StepOutcome(SEARCH, True, words, (("rank", place), ("score", seed.score))),)
    many = len(seeds.standing.scores)
    below = rank_of(tried, sought, trials)
    if below is None:
        pool = dict(seeds.search)["pool"]
        words = f"not among the {many} candidates of search"
        return (
            StepOutcome(SEARCH, False, words, (("candidates", many), ("pool", int(pool or 0)))),
        )
    return (_below(step, seeds, *below),)


def _below(step: Step, seeds: Seeds, rank: int, score: float) -> StepOutcome:
    top, several = step.options["top"], step.options["per_document"]
    numbers: Numbers = (("rank", rank), ("top", top), ("score", score))
    if rank <= top:
        words = f"a candidate, but {several} others of its document come before it"
        return StepOutcome(SEARCH, False, words, (*numbers, ("per_document", several)))
    last = seeds.ranked[-1].score if seeds.ranked else 0.0
    many = max(len(seeds.standing.scores), rank)
    words = (
        f"rank {rank} of {many} candidates, {top} are taken; "
        f"score {score:g}, the last one taken has {last:g}"
    )
    short = ("short", round(last - score, DIGITS))
    return StepOutcome(
        SEARCH, False, words, (*numbers, ("candidates", many), ("last", last), short)
    )


def rank_of(tried: TrialRun, sought: Target, trials: TrialRunner) -> tuple[int, float] | None:
    """Its place and score as a candidate, with as many places as there are candidates."""
    found = tried.at(SEARCH)
    if found is None:
        return None
    step, seeds = found
    pool = int(dict(seeds.search)["pool"] or 0)
    changes = tuple(
        OptionChange(SEARCH, name, None, value)
        for name, value in {**step.options, "top": pool}.items()
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


def scoped(tried: TrialRun, sought: Target) -> tuple[StepOutcome, ...]:
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
        return (StepOutcome(SCOPE, True, f"kept: {reason}", numbers),)
    words = f"left out of scope ({reason}): seed {place} has {share:g} of the best score"
    return (StepOutcome(SCOPE, False, words, numbers),)


def _first(seeds: Seeds, own: tuple[str, ...]) -> tuple[int, Seed]:
    place = seeds.ids.index(own[0])
    return place + 1, seeds.ranked[place]


_LIMIT = {NEIGHBOURS: "documents", TREE: "max_nodes"}


def step_outcomes(tried: TrialRun, sought: Target, trials: TrialRunner) -> tuple[StepOutcome, ...]:
    way = (*searched(tried, sought, trials), *scoped(tried, sought))
    way = (*way, _planned(tried, sought, trials))
    if way[-1].inside:
        way = (*way, read(tried, sought))
    if way[-1].inside and way[-1].action == tried.making(RetrievedContext).action.name:
        way = (*way, assembled(tried, sought))
    return way


def _planned(tried: TrialRun, sought: Target, trials: TrialRunner) -> StepOutcome:
    plan, action = tried.get(RetrievalPlan), tried.making(RetrievalPlan).action
    own = sought.among(plan.order)
    if own:
        place = plan.documents.index(sought.root) + 1
        words = f"place {place} of {len(plan.documents)}: {plan.rule_for(own[0])}"
        return StepOutcome(action.name, True, words, (("place", place),))
    cut = next((one for one in plan.cut if sought.among((one.document_id,))), None)
    if cut is not None:
        stood = _place(action, sought, trials)
        told = f"reached, and cut by {cut.limit}"
        room = len(plan.documents) if action.name != TREE else len(plan.order)
        if stood is None:
            return StepOutcome(action.name, False, told, (("room", room),))
        words = f"{told}: it stands at place {stood}"
        return StepOutcome(action.name, False, words, (("place", stood), ("room", room)))
    return StepOutcome(action.name, False, *_unreached(tried, sought))


def _unreached(tried: TrialRun, sought: Target) -> tuple[str, Numbers]:
    action = tried.making(RetrievalPlan).action.name
    if action not in _LIMIT:
        return "not a seed, and this pipeline follows no relations", ()
    ways = untaken_edges(tried, sought)
    if ways:
        edge = ways[0].edge
        words = f"{edge.source} ->{edge.relation}-> {edge.target} leads here, but {ways[0].words}"
        return words, (("roads", len(ways)),)
    many = len(senders(tried))
    return f"no relation leads here from a node whose relations are followed ({many})", ()


def _place(action: Action, sought: Target, trials: TrialRunner) -> int | None:
    """Where it would stand if the limit were as high as it can be."""
    option = _LIMIT.get(action.name)
    if option is None:
        return None
    wide = trials.run(
        (OptionChange(action.name, option, None, highest(action, option)),), up_to=RetrievalPlan
    )
    plan = wide.get(RetrievalPlan) if wide else None
    own = sought.among(plan.order) if plan else ()
    if plan is None or not own:
        return None
    ranks = plan.order if action.name == TREE else plan.documents
    return ranks.index(own[0] if action.name == TREE else sought.root) + 1


def read(tried: TrialRun, sought: Target) -> StepOutcome:
    action = tried.making(RetrievedContext).action.name
    found = fetched(tried, sought)
    if found:
        return StepOutcome(action, True, f"{len(found)} fetched", (("passages", len(found)),))
    plan = tried.get(RetrievalPlan)
    own = sought.among(plan.order)
    for decision in tried.get(RetrievedContext).decisions:
        if decision.id in own:
            return StepOutcome(
                action, False, f"not fetched: {decision.reason}", _missing(decision.reason)
            )
    window = sought.reads.texts(plan)
    nodes = [node for node in plan.order if document_of(node) == sought.root]
    scores = {score.id: score for node in nodes for score in window.chunk_scores(node)}
    ranked = sorted(scores.values(), key=closest)
    places = (sought.meets(sought.root, one.location) for one in window.chunks(tuple(ranked)))
    place = next((at for at, here in enumerate(places, start=1) if here), None)
    if place is None:
        return StepOutcome(action, False, "it holds no passage of its own")
    words = f"no passage of it was fetched: its best is number {place} of its document"
    return StepOutcome(action, False, words, (("place", place), ("passages", len(ranked))))


def assembled(tried: TrialRun, sought: Target) -> StepOutcome:
    action, context = tried.making(Context).action.name, tried.get(Context)
    items = shown(tried, sought)
    if items:
        told = ", ".join(f"[{item.number}]" for item in items)
        used = sum(item.tokens for item in items)
        return StepOutcome(action, True, f"there as {told}, {used} tokens", (("tokens", used),))
    own = [passage.id for passage in fetched(tried, sought)]
    reason = next((one.reason for one in context.omitted if one.id in own), "it did not fit")
    budget = ("max_tokens", context.max_tokens)
    return StepOutcome(action, False, f"no room: {reason}", (*_missing(reason), budget))


def _missing(reason: str) -> Numbers:
    """How much more room there had to be, as far as the decision tells."""
    more = missing(reason)
    return () if more is None else (("missing", more),)
