"""expand_relationships: one hop along outgoing edges, within a cap on documents."""

from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.edge import Relationship
from docgraph.model.node import document_of
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.plan.admission import (
    admit_competitive,
    admit_reserved,
    damped,
    document_scores,
    propagate_scores,
    relation_weighted,
)
from docgraph.plan.ambiguity import first_mention, known_relations, outgoing, relation_filter
from docgraph.plan.plan_seeds import DOCUMENTS, SEED_PLACES, within
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import SearchReads

Admit = Literal["lifted", "contested", "scored", "similarity", "first_mention"]


def within_limits(plan: RetrievalPlan) -> bool:
    """A plan never holds more documents than its limit."""
    return plan.constraints.documents is None or len(plan.documents) <= plan.constraints.documents


@action(ensures=(within_limits,), options=(known_relations,))
def expand_relationships(
    question: Question,
    seeds: Seeds,
    graph: GraphReads,
    search: SearchReads,
    *,
    documents: Annotated[int, Interval(ge=1, le=500)] = DOCUMENTS,
    seed_places: Annotated[int, Interval(ge=1, le=500)] = SEED_PLACES,
    relations: tuple[str, ...] | None = None,
    admit: Admit = "lifted",
) -> RetrievalPlan:
    """Seeds take at most `seed_places`, neighbours the rest; what they leave free goes to seeds.

    Neighbours are ordered without relation weights: `lifted` up towards their seeds, by their own
    `similarity` to the question, or by seed and `first_mention`. `contested`, a further seed that
    stands better than a neighbour takes its place. `scored` weighs relations, and is contested
    too.
    """
    first = within(seeds, min(seed_places, documents))
    edges = edges_from(first, graph, relations)
    if admit in ("similarity", "first_mention") or not seeds.standing.scores:
        found = neighbours(first, edges)
        if admit != "first_mention":
            found = by_similarity(found, question, search)
        plan = admit_reserved(seeds, first, found, documents)
    else:
        ends = (document_of(node) for e in edges for node in (e.edge.source, e.edge.target))
        own = document_scores(seeds, ends, question, search)
        raised = propagate_scores(
            first, edges, own, relation_weighted if admit == "scored" else damped
        )
        found = tuple(one.expansion for one in raised.values())
        speaking = seeds.ids
        if admit == "lifted":
            places = admit_reserved(seeds, first, found, documents)
            speaking = places.seeds
            raised = {one.document_id: raised[one.document_id] for one in places.expanded}
        plan = admit_competitive(speaking, own, raised, documents)
    taken = frozenset(map(document_of, plan.order))
    return RetrievalPlan(
        question=question.text,
        query_vector=question.vector,
        embedder=question.embedder,
        seed_documents=plan.seeds,
        expanded_documents=plan.expanded,
        order=plan.order,
        constraints=Constraints(
            search=seeds.search,
            selection=seeds.selection,
            exact=seeds.exact,
            traversal_enabled=False,
            max_depth=1,
            direction="out",
            relations=relations,
            documents=documents,
            seed_places=seed_places,
            max_nodes=None,
            admit=admit,
        ),
        cut=tuple(
            Cut(node, f"documents={documents}")
            for node in dict.fromkeys((*(e.document_id for e in found), *seeds.ids))
            if document_of(node) not in taken
        ),
    )


def edges_from(
    first: tuple[str, ...], graph: GraphReads, relations: tuple[str, ...] | None
) -> tuple[Relationship, ...]:
    """Edges that leave the seeds, in order of seed and first mention."""
    place = {seed: index for index, seed in enumerate(first)}
    roots = {document_of(seed): index for index, seed in reversed(tuple(enumerate(first)))}
    return tuple(
        sorted(
            outgoing(graph, first, relation_filter(relations)),
            key=lambda found: (
                place.get(found.edge.source, roots[document_of(found.edge.source)]),
                first_mention(found),
                found.edge,
            ),
        )
    )


def neighbours(first: tuple[str, ...], edges: tuple[Relationship, ...]) -> tuple[Expansion, ...]:
    """Documents one edge away, each by its first edge."""
    roots = {document_of(seed) for seed in first}
    reached: dict[str, Expansion] = {}
    for found in edges:
        edge = found.edge
        root = document_of(edge.target)
        if root not in roots:
            reached.setdefault(root, Expansion(root, edge.relation, edge.source, edge.target, 1))
    return tuple(reached.values())


def by_similarity(
    found: tuple[Expansion, ...], question: Question, search: SearchReads
) -> tuple[Expansion, ...]:
    """Closest to the question first; without a question the order stays."""
    if not question.vector:
        return found
    near = search.node_similarities(question.vector, tuple(e.document_id for e in found))
    return tuple(sorted(found, key=lambda e: (-near.get(e.document_id, 0), e.document_id)))
