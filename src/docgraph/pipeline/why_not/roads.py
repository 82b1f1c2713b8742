"""Roads: relations that lead to a node from what was found, and that planning did not take."""

from collections.abc import Iterable
from dataclasses import dataclass

from docgraph.model.edge import Edge
from docgraph.model.identity import document_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.relation import CONTAINS, RELATIONS
from docgraph.model.seeds import Seeds
from docgraph.pipeline.why_not.sought import Sought
from docgraph.pipeline.why_not.trials import Tried
from docgraph.plan.plan_seeds import within
from docgraph.plan.settle import outgoing

NEIGHBOURS, TREE = "expand_relationships", "expand_dependency_tree"
_FOLLOWED = frozenset(RELATIONS) - {CONTAINS}


@dataclass(frozen=True, slots=True)
class Road:
    """An edge that leads there, and what keeps planning from taking it: an option, in words."""

    edge: Edge
    option: str
    words: str


def roads(tried: Tried, sought: Sought) -> tuple[Road, ...]:
    """Relations that are not followed come first, then edges that are too far away."""
    step = tried.making(RetrievalPlan)
    if step.action.name not in (NEIGHBOURS, TREE):
        return ()
    named = step.options["relations"]
    allowed = _FOLLOWED if named is None else frozenset(named)
    near, far = _senders(tried)
    barred = (
        Road(edge, "relations", f"{edge.relation} is not followed")
        for edge in _leading(near, sought, by_node=step.action.name == TREE)
        if edge.relation not in allowed
    )
    if step.action.name == TREE:
        depth = step.options["max_depth"]
        further = [
            Road(edge, "max_depth", f"that is one step beyond max_depth={depth}")
            for edge in _leading(near, sought, by_node=True)
            if edge.relation in allowed
        ]
    else:
        places = min(step.options["seed_places"], step.options["documents"])
        further = [
            Road(edge, "seed_places", f"only seeds of the first {places} documents lead on")
            for edge in _leading(far, sought, by_node=False)
            if edge.relation in allowed
        ]
    return (*barred, *further)


def _senders(tried: Tried) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whose edges are followed, and whose edges are not."""
    step = tried.making(RetrievalPlan)
    if step.action.name == TREE:
        return tried.get(RetrievalPlan).order, ()
    seeds = tried.get(Seeds)
    near = within(seeds, min(step.options["seed_places"], step.options["documents"]))
    return near, tuple(node for node in seeds.ids if node not in near)


def senders(tried: Tried) -> tuple[str, ...]:
    """Whose edges planning followed."""
    return _senders(tried)[0]


def _leading(nodes: tuple[str, ...], sought: Sought, *, by_node: bool) -> Iterable[Edge]:
    """Visible edges from these nodes to it; a plan of documents admits the whole document."""
    if not nodes:
        return []
    if not by_node and sought.root in map(document_of, nodes):
        return []  # a document is no neighbour of its own parts
    found = outgoing(sought.reads.graph, nodes, _FOLLOWED)
    edges = sorted({one.edge for one in found if document_of(one.edge.target) == sought.root})
    there = set(sought.among(edge.target for edge in edges)) if by_node else None
    return [edge for edge in edges if there is None or edge.target in there]
