"""expand_dependency_tree: breadth first along the edges that a pipeline names, to a hard depth."""

from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.edge import Relationship
from docgraph.model.node import document_of
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.plan.ambiguity import (
    first_mention,
    incoming,
    known_relations,
    outgoing,
    relation_filter,
)
from docgraph.plan.plan_seeds import DEEPEST, MOST_NODES
from docgraph.ports.graph_reads import GraphReads

Direction = Literal["out", "in", "both"]


def within_bounds(plan: RetrievalPlan) -> bool:
    """A tree never grows past its depth or its number of nodes."""
    limits = plan.constraints
    return (limits.max_nodes is None or len(plan.order) <= limits.max_nodes) and all(
        expansion.depth <= limits.max_depth for expansion in plan.expanded_documents
    )


@action(ensures=(within_bounds,), options=(known_relations,))
def expand_dependency_tree(
    question: Question,
    seeds: Seeds,
    graph: GraphReads,
    *,
    max_depth: Annotated[int, Interval(ge=0, le=DEEPEST)] = 2,
    max_nodes: Annotated[int, Interval(ge=1, le=MOST_NODES)] = 40,
    relations: tuple[str, ...] | None = None,
    direction: Direction = "out",
) -> RetrievalPlan:
    """`max_nodes` counts seeds too. A visited set keeps cycles out; hidden nodes end a path."""
    kept = seeds.ids[:max_nodes]
    tree, beyond = grow(kept, graph, max_depth, max_nodes - len(kept), relations, direction)
    return RetrievalPlan(
        question=question.text,
        query_vector=question.vector,
        embedder=question.embedder,
        seed_documents=kept,
        expanded_documents=tree,
        order=kept + tuple(expansion.document_id for expansion in tree),
        constraints=Constraints(
            search=seeds.search,
            selection=seeds.selection,
            exact=seeds.exact,
            traversal_enabled=True,
            max_depth=max_depth,
            direction=direction,
            relations=relations,
            documents=None,
            seed_places=None,
            max_nodes=max_nodes,
            admit="breadth_first",
        ),
        cut=tuple(
            Cut(node, f"max_nodes={max_nodes}")
            for node in dict.fromkeys((*seeds.ids[max_nodes:], *beyond))
        ),
    )


def grow(
    seeds: tuple[str, ...],
    graph: GraphReads,
    max_depth: int,
    places: int,
    relations: tuple[str, ...] | None,
    direction: Direction,
) -> tuple[tuple[Expansion, ...], tuple[str, ...]]:
    """The tree below the seeds, level by level, and what lies one step outside its last place."""
    visited = set(seeds)
    tree: list[Expansion] = []
    beyond: dict[str, None] = {}
    frontier = seeds
    for depth in range(1, max_depth + 1):
        reached: list[str] = []
        for step in steps_from(frontier, graph, relations, direction, depth):
            if step.document_id in visited or document_of(step.document_id) in visited:
                continue
            if len(tree) == places:
                beyond[step.document_id] = None
                continue
            visited.add(step.document_id)
            tree.append(step)
            reached.append(step.document_id)
        frontier = tuple(reached)
        if not frontier:
            break
    return tuple(tree), tuple(beyond)


def steps_from(
    frontier: tuple[str, ...],
    graph: GraphReads,
    relations: tuple[str, ...] | None,
    direction: Direction,
    depth: int,
) -> list[Expansion]:
    """Every step out of the frontier, in the order of the frontier, then of first mention."""
    place = {node: index for index, node in enumerate(frontier)}
    steps: list[tuple[tuple[int, int, bool, Relationship], Expansion]] = []
    for backwards in (False, True):
        if direction == ("out" if backwards else "in"):
            continue
        walk = incoming if backwards else outgoing
        for relationship in walk(graph, frontier, relation_filter(relations)):
            edge = relationship.edge
            here, there = (edge.target, edge.source) if backwards else (edge.source, edge.target)
            key = (_place(place, here), first_mention(relationship), backwards, relationship)
            step = Expansion(there, edge.relation, edge.source, edge.target, depth, backwards)
            steps.append((key, step))
    return [step for _, step in sorted(steps, key=lambda item: item[0])]


def _place(place: dict[str, int], node: str) -> int:
    """A node speaks for the frontier node that holds it."""
    if node in place:
        return place[node]
    root = document_of(node)
    holders = (
        at
        for holder, at in place.items()
        if document_of(holder) == root and node.startswith(f"{holder}.")
    )
    return min(holders, default=place.get(root, len(place)))
