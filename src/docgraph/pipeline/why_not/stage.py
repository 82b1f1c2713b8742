"""At which stage a node fell out of one run."""

from docgraph.model.context import Context, ContextItem
from docgraph.model.evidence import Passage, RetrievedContext
from docgraph.model.identity import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.model.why_not import Stage
from docgraph.pipeline.why_not.roads import roads
from docgraph.pipeline.why_not.sought import Sought
from docgraph.pipeline.why_not.trials import Tried

SEARCH = "search_nodes"


def stage_of(tried: Tried, sought: Sought) -> Stage:
    """The last stage that saw it and did not hand it on."""
    if shown(tried, sought):
        return "there"
    if fetched(tried, sought):
        return "budget"
    if sought.among(tried.get(RetrievalPlan).order):
        return "fetch"
    return _before_a_plan(tried, sought)


def _before_a_plan(tried: Tried, sought: Sought) -> Stage:
    if sought.among(cut.document_id for cut in tried.get(RetrievalPlan).cut):
        return "cap"
    found = tried.at(SEARCH)
    if found is None or roads(tried, sought):
        return "relation"
    seeds: Seeds = found[1]
    if sought.among(seeds.ids):
        return "cap" if sought.among(tried.get(Seeds).ids) else "scope"
    return "rank" if sought.among(node for node, _ in seeds.standing.scores) else "search"


def shown(tried: Tried, sought: Sought) -> tuple[ContextItem, ...]:
    """Its evidence in the context. A summary alone does not count: it proves nothing."""
    return tuple(
        item
        for item in tried.get(Context).items
        if item.number and sought.meets(item.document, item.location)
    )


def fetched(tried: Tried, sought: Sought) -> tuple[Passage, ...]:
    return tuple(
        passage
        for node in tried.get(RetrievedContext).nodes
        for passage in node.passages
        if sought.meets(document_of(passage.node), passage.location)
    )
