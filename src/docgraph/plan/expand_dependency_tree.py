"""expand_dependency_tree: breadth first along edges, to a maximum depth and number of nodes."""

from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.edge import Edge
from docgraph.model.node import document_of
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.plan.plan_seeds import MAX_DEPTH, MAX_NODES
from docgraph.plan.resolved_edges import (
    check_relations,
    incoming_edges,
    outgoing_edges,
    relation_filter,
)
from docgraph.ports.graph_reads import GraphReads

Direction = Literal["out", "in", "both"]


def some_seeds(seeds: Seeds) -> bool:
    """A tree grows from one seed or more."""
    return bool(seeds.ranked)


def within_bounds(plan: RetrievalPlan) -> bool:
    """A tree never exceeds its depth or its number of nodes."""
    limits = plan.constraints
    return (limits.max_nodes is None or len(plan.order) <= limits.max_nodes) and all(
        expansion.depth <= limits.max_relationship_depth for expansion in plan.expanded_documents
    )


@action(requires=(some_seeds,), ensures=(within_bounds,), options=(check_relations,))
def expand_dependency_tree(
    question: Question,
    seeds: Seeds,
    graph: GraphReads,
    *,
    max_depth: Annotated[int, Interval(ge=0, le=MAX_DEPTH)] = 2,
    max_nodes: Annotated[int, Interval(ge=1, le=MAX_NODES)] = 40,
    relations: tuple[str, ...] | None = None,
    direction: Direction = "out",
) -> RetrievalPlan:
    """`max_nodes` counts seeds too. Each node is visited once; hidden nodes end a path."""
    roots = seeds.ids[:max_nodes]
    tree, beyond = grow_tree(roots, graph, max_depth, max_nodes - len(roots), relations, direction)
    return RetrievalPlan(
        question=question.text,
        query_vector=question.vector,
        embedder=question.embedder,
        seed_documents=roots,
        expanded_documents=tree,
        order=roots + tuple(expansion.document_id for expansion in tree),
        constraints=Constraints(
            search=seeds.search,
            selection=seeds.selection,
            exact=seeds.exact,
            embeddings=seeds.embeddings,
            traversal_enabled=True,
            max_relationship_depth=max_depth,
            direction=direction,
            relations=relations,
            max_documents=None,
            max_seed_documents=None,
            max_nodes=max_nodes,
            admit="breadth_first",
        ),
        cut=tuple(
            Cut(node, f"max_nodes={max_nodes}")
            for node in dict.fromkeys((*seeds.ids[max_nodes:], *beyond))
        ),
    )


def grow_tree(
    seeds: tuple[str, ...],
    graph: GraphReads,
    max_depth: int,
    max_expansions: int,
    relations: tuple[str, ...] | None,
    direction: Direction,
) -> tuple[tuple[Expansion, ...], tuple[str, ...]]:
    """The tree below the seeds, level by level, and the nodes that it had no place for."""
    visited = set(seeds)
    tree: list[Expansion] = []
    beyond: dict[str, None] = {}
    frontier = seeds
    for depth in range(1, max_depth + 1):
        reached: list[str] = []
        for step in expansions_from(frontier, graph, relations, direction, depth):
            if step.document_id in visited or document_of(step.document_id) in visited:
                continue
            if len(tree) == max_expansions:
                beyond[step.document_id] = None
                continue
            visited.add(step.document_id)
            tree.append(step)
            reached.append(step.document_id)
        frontier = tuple(reached)
        if not frontier:
            break
    return tuple(tree), tuple(beyond)


def expansions_from(
    frontier: tuple[str, ...],
    graph: GraphReads,
    relations: tuple[str, ...] | None,
    direction: Direction,
    depth: int,
) -> list[Expansion]:
    """Every edge from the frontier, in the order of the frontier, then of first mention."""
    positions = {node: index for index, node in enumerate(frontier)}
    steps: list[tuple[tuple[int, int, bool, Edge], Expansion]] = []
    for backwards in (False, True):
        if direction == ("out" if backwards else "in"):
            continue
        read_edges = incoming_edges if backwards else outgoing_edges
        for edge, first_mention, _ in read_edges(graph, frontier, relation_filter(relations)):
            near, far = (edge.target, edge.source) if backwards else (edge.source, edge.target)
            position = _frontier_position(positions, near)
            key = (position, first_mention, backwards, edge)
            step = Expansion(far, edge.relation, edge.source, edge.target, depth, backwards)
            steps.append((key, step))
    return [step for _, step in sorted(steps, key=lambda item: item[0])]


def _frontier_position(positions: dict[str, int], node: str) -> int:
    """The position of the node, or of the frontier node that contains it."""
    if node in positions:
        return positions[node]
    root = document_of(node)
    containing = (
        position
        for other, position in positions.items()
        if document_of(other) == root and node.startswith(f"{other}.")
    )
    return min(containing, default=positions.get(root, len(positions)))
