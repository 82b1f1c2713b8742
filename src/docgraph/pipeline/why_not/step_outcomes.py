"""What each step of one run did with a node, up to the step that excluded it."""

from docgraph.action import Action
from docgraph.model.context import Context
from docgraph.model.evidence import RetrievedContext
from docgraph.model.explanation import Numbers, OptionChange, StepOutcome
from docgraph.model.node import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seed, Seeds
from docgraph.pipeline.pipeline import Step
from docgraph.pipeline.why_not.stages import (
    SEARCH,
    fetched_chunks,
    included_items,
    max_option_value,
    missing_budget,
)
from docgraph.pipeline.why_not.target import (
    NEIGHBOURS,
    TREE,
    Target,
    fetch_order,
    followed_nodes,
    untaken_edges,
)
from docgraph.pipeline.why_not.trials import TrialRun, TrialRunner
from docgraph.search.ranking import DIGITS

SCOPE = "select_scope"


def search_outcome(trial: TrialRun, target: Target, runner: TrialRunner) -> tuple[StepOutcome, ...]:
    """Its rank among the candidates; empty where ids were given instead of searched."""
    search = trial.step_of(SEARCH)
    if search is None:
        return ()
    step, seeds = search
    own = target.matching_ids(seeds.ids)
    if own:
        rank, seed = _first_seed(seeds, own)
        text = f"seed {rank} of {len(seeds.ids)}, score {seed.score:g}: {seed.why}"
        return (StepOutcome(SEARCH, True, text, (("rank", rank), ("score", seed.score))),)
    rank_and_score = rank_of(trial, target, runner)
    if rank_and_score is None:
        count, pool = len(seeds.candidates.scores), int(dict(seeds.search)["pool"] or 0)
        text = f"not among the {count} candidates of search"
        return (StepOutcome(SEARCH, False, text, (("candidates", count), ("pool", pool))),)
    return (_below_top(step, seeds, *rank_and_score),)


def _below_top(step: Step, seeds: Seeds, rank: int, score: float) -> StepOutcome:
    top, per_document = step.options["top"], step.options["per_document"]
    numbers: Numbers = (("rank", rank), ("top", top), ("score", score))
    if rank <= top:
        text = f"a candidate, but {per_document} others of its document come before it"
        return StepOutcome(SEARCH, False, text, (*numbers, ("per_document", per_document)))
    last = seeds.ranked[-1].score if seeds.ranked else 0.0
    count = max(len(seeds.candidates.scores), rank)
    text = (
        f"rank {rank} of {count} candidates, {top} are taken; "
        f"score {score:g}, the last one taken has {last:g}"
    )
    shortfall = ("shortfall", round(last - score, DIGITS))
    return StepOutcome(
        SEARCH, False, text, (*numbers, ("candidates", count), ("last", last), shortfall)
    )


def rank_of(trial: TrialRun, target: Target, runner: TrialRunner) -> tuple[int, float] | None:
    """Its rank and score among all candidates, from a search that returns all of them."""
    search = trial.step_of(SEARCH)
    if search is None:
        return None
    step, seeds = search
    pool = int(dict(seeds.search)["pool"] or 0)
    changes = tuple(
        OptionChange(SEARCH, name, None, value)
        for name, value in {**step.options, "top": pool}.items()
    )
    complete = runner.run(changes, up_to=Seeds)
    complete_search = complete.step_of(SEARCH) if complete else None
    ranked: Seeds = complete_search[1] if complete_search else seeds
    own = target.matching_ids(ranked.ids)
    if own:
        rank, seed = _first_seed(ranked, own)
        return rank, seed.score
    ids = tuple(node for node, _ in seeds.candidates.scores)
    own = target.matching_ids(ids)
    if not own:
        return None
    position = ids.index(own[0])
    return position + 1, seeds.candidates.scores[position][1]


def scope_outcome(trial: TrialRun, target: Target) -> tuple[StepOutcome, ...]:
    """Whether select_scope kept it; empty where search did not return it."""
    search = trial.step_of(SEARCH)
    if search is None or trial.step_of(SCOPE) is None:
        return ()
    seeds: Seeds = search[1]
    own = target.matching_ids(seeds.ids)
    if not own:
        return ()
    selected = trial.get(Seeds)
    rank, seed = _first_seed(seeds, own)
    best = max(one.score for one in seeds.ranked)
    share = round(seed.score / best, 3) if best > 0 else 0.0
    numbers = (("score", seed.score), ("best", best), ("share", share))
    reason = selected.selection.reason
    if target.matching_ids(selected.ids):
        return (StepOutcome(SCOPE, True, f"kept: {reason}", numbers),)
    text = f"left out of scope ({reason}): seed {rank} has {share:g} of the best score"
    return (StepOutcome(SCOPE, False, text, numbers),)


def _first_seed(seeds: Seeds, own: tuple[str, ...]) -> tuple[int, Seed]:
    """The rank of the first of these ids, and its seed."""
    position = seeds.ids.index(own[0])
    return position + 1, seeds.ranked[position]


_LIMIT = {NEIGHBOURS: "max_documents", TREE: "max_nodes"}


def step_outcomes(trial: TrialRun, target: Target, runner: TrialRunner) -> tuple[StepOutcome, ...]:
    """Of every step that had the node as input, in the pipeline's order."""
    outcomes = [*search_outcome(trial, target, runner), *scope_outcome(trial, target)]
    outcomes.append(_plan_outcome(trial, target, runner))
    if outcomes[-1].included:
        outcomes.append(fetch_outcome(trial, target))
        if outcomes[-1].included:
            outcomes.append(assemble_outcome(trial, target))
    return tuple(outcomes)


def _plan_outcome(trial: TrialRun, target: Target, runner: TrialRunner) -> StepOutcome:
    plan, action = trial.get(RetrievalPlan), trial.step_making(RetrievalPlan).action
    own = target.matching_ids(plan.order)
    if own:
        position = plan.documents.index(target.root) + 1
        text = f"position {position} of {len(plan.documents)}: {plan.rule_for(own[0])}"
        return StepOutcome(action.name, True, text, (("position", position),))
    cut = next((one for one in plan.cut if target.matching_ids((one.document_id,))), None)
    if cut is None:
        return StepOutcome(action.name, False, *_describe_unreached(trial, target))
    text = f"reached, and cut by {cut.limit}"
    limit = ("limit", len(plan.documents) if action.name != TREE else len(plan.order))
    position_without_limit = _position_without_limit(action, target, runner)
    if position_without_limit is None:
        return StepOutcome(action.name, False, text, (limit,))
    text += f": its position is {position_without_limit}"
    return StepOutcome(action.name, False, text, (("position", position_without_limit), limit))


def _describe_unreached(trial: TrialRun, target: Target) -> tuple[str, Numbers]:
    action = trial.step_making(RetrievalPlan).action.name
    if action not in _LIMIT:
        return "not a seed, and this pipeline follows no relations", ()
    untaken = untaken_edges(trial, target)
    if untaken:
        edge, reason = untaken[0].edge, untaken[0].reason
        text = f"{edge.source} ->{edge.relation}-> {edge.target} leads here, but {reason}"
        return text, (("untaken_edges", len(untaken)),)
    count = len(followed_nodes(trial))
    return f"no relation leads here from a node whose relations are followed ({count})", ()


def _position_without_limit(action: Action, target: Target, runner: TrialRunner) -> int | None:
    """Its position in a plan with the highest limit."""
    option = _LIMIT.get(action.name)
    if option is None:
        return None
    change = OptionChange(action.name, option, None, max_option_value(action, option))
    unlimited = runner.run((change,), up_to=RetrievalPlan)
    plan = unlimited.get(RetrievalPlan) if unlimited else None
    own = target.matching_ids(plan.order) if plan else ()
    if plan is None or not own:
        return None
    ranks = plan.order if action.name == TREE else plan.documents
    return ranks.index(own[0] if action.name == TREE else target.root) + 1


def fetch_outcome(trial: TrialRun, target: Target) -> StepOutcome:
    action = trial.step_making(RetrievedContext).action.name
    chunks = fetched_chunks(trial, target)
    if chunks:
        return StepOutcome(action, True, f"{len(chunks)} fetched", (("chunks", len(chunks)),))
    plan = trial.get(RetrievalPlan)
    own = target.matching_ids(plan.order)
    for decision in trial.get(RetrievedContext).decisions:
        if decision.id in own:
            return StepOutcome(
                action, False, f"not fetched: {decision.reason}", _missing(decision.reason)
            )
    texts = target.reads.texts(plan)
    nodes = [node for node in plan.order if document_of(node) == target.root]
    scores = {score.id: score for node in nodes for score in texts.chunk_scores(node)}
    ranked = sorted(scores.values(), key=fetch_order)
    own_chunks = (target.overlaps(target.root, one.location) for one in texts.chunks((*ranked,)))
    rank = next((at for at, is_own in enumerate(own_chunks, start=1) if is_own), None)
    if rank is None:
        return StepOutcome(action, False, "it has no chunk of its own")
    text = f"no chunk of it was fetched: its best is number {rank} of its document"
    return StepOutcome(action, False, text, (("position", rank), ("chunks", len(ranked))))


def assemble_outcome(trial: TrialRun, target: Target) -> StepOutcome:
    action, context = trial.step_making(Context).action.name, trial.get(Context)
    items = included_items(trial, target)
    if items:
        numbers = ", ".join(f"[{item.number}]" for item in items)
        used = sum(item.tokens for item in items)
        return StepOutcome(
            action, True, f"included as {numbers}, {used} tokens", (("tokens", used),)
        )
    own = [chunk.id for chunk in fetched_chunks(trial, target)]
    reason = next((one.reason for one in context.omitted if one.id in own), "it did not fit")
    budget = ("max_tokens", context.max_tokens)
    return StepOutcome(action, False, f"over budget: {reason}", (*_missing(reason), budget))


def _missing(reason: str) -> Numbers:
    """How much more budget it needed, if the reason says so."""
    more = missing_budget(reason)
    return () if more is None else (("missing", more),)
