"""expand_relationships: one hop along outgoing edges, within a cap on documents."""

from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.node import document_of
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.plan.admission import (
    admit_competitive,
    admit_reserved,
    damped_score,
    document_scores,
    propagate_scores,
    relation_weighted_score,
)
from docgraph.plan.plan_seeds import (
    DEFAULT_MAX_DOCUMENTS,
    DEFAULT_MAX_SEED_DOCUMENTS,
)
from docgraph.plan.resolved_edges import (
    ResolvedEdge,
    check_relations,
    outgoing_edges,
    relation_filter,
)
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import SearchReads

Admit = Literal["propagated", "competitive", "relation_weighted", "similarity", "first_mention"]


def within_limits(plan: RetrievalPlan) -> bool:
    """A plan never has more documents than its limit."""
    limit = plan.constraints.max_documents
    return limit is None or len(plan.documents) <= limit


@action(ensures=(within_limits,), options=(check_relations,))
def expand_relationships(
    question: Question,
    seeds: Seeds,
    graph: GraphReads,
    search: SearchReads,
    *,
    max_documents: Annotated[int, Interval(ge=1, le=500)] = DEFAULT_MAX_DOCUMENTS,
    max_seed_documents: Annotated[int, Interval(ge=1, le=500)] = DEFAULT_MAX_SEED_DOCUMENTS,
    relations: tuple[str, ...] | None = None,
    admit: Admit = "competitive",
) -> RetrievalPlan:
    """At most `max_seed_documents` are seeds, then neighbours, then further seeds if they fit.

    `admit` orders the neighbours: by scores `propagated` from their seeds, by their own
    `similarity` to the question, or by seed and `first_mention`. With `competitive`, further
    seeds compete with neighbours by score. `relation_weighted` does too, and weights relations.
    """
    first = seeds.of_first_documents(min(max_seed_documents, max_documents))
    edges = edges_from(first, graph, relations)
    if admit in ("similarity", "first_mention") or not seeds.candidates.scores:
        expansions = neighbours(first, edges)
        if admit != "first_mention":
            expansions = sort_by_similarity(expansions, question, search)
        admission = admit_reserved(seeds, first, expansions, max_documents)
    else:
        ends = (document_of(node) for e in edges for node in (e.edge.source, e.edge.target))
        scores = document_scores(seeds, ends, question, search)
        propagate = relation_weighted_score if admit == "relation_weighted" else damped_score
        propagated = propagate_scores(first, edges, scores, propagate)
        expansions = tuple(one.expansion for one in propagated.values())
        competing = seeds.ids
        if admit == "propagated":
            reserved = admit_reserved(seeds, first, expansions, max_documents)
            competing = reserved.seeds
            propagated = {one.document_id: propagated[one.document_id] for one in reserved.expanded}
        admission = admit_competitive(competing, scores, propagated, max_documents)
    admitted = frozenset(map(document_of, admission.order))
    return RetrievalPlan(
        question=question.text,
        query_vector=question.vector,
        embedder=question.embedder,
        seed_documents=admission.seeds,
        expanded_documents=admission.expanded,
        order=admission.order,
        constraints=Constraints(
            search=seeds.search,
            selection=seeds.selection,
            exact=seeds.exact,
            embeddings=seeds.embeddings,
            traversal_enabled=False,
            max_relationship_depth=1,
            direction="out",
            relations=relations,
            max_documents=max_documents,
            max_seed_documents=max_seed_documents,
            max_nodes=None,
            admit=admit,
        ),
        cut=tuple(
            Cut(node, f"max_documents={max_documents}")
            for node in dict.fromkeys((*(e.document_id for e in expansions), *seeds.ids))
            if document_of(node) not in admitted
        ),
    )


def edges_from(
    first: tuple[str, ...], graph: GraphReads, relations: tuple[str, ...] | None
) -> tuple[ResolvedEdge, ...]:
    """Outgoing edges of the seeds, in order of seed and first mention."""
    positions = {seed: index for index, seed in enumerate(first)}
    roots = {document_of(seed): index for index, seed in reversed(tuple(enumerate(first)))}
    return tuple(
        sorted(
            outgoing_edges(graph, first, relation_filter(relations)),
            key=lambda one: (
                positions.get(one.edge.source, roots[document_of(one.edge.source)]),
                one.first_mention,
                one.edge,
            ),
        )
    )


def neighbours(first: tuple[str, ...], edges: tuple[ResolvedEdge, ...]) -> tuple[Expansion, ...]:
    """Documents one edge away, each by its first edge."""
    roots = {document_of(seed) for seed in first}
    reached: dict[str, Expansion] = {}
    for edge, *_ in edges:
        root = document_of(edge.target)
        if root not in roots:
            reached.setdefault(root, Expansion(root, edge.relation, edge.source, edge.target, 1))
    return tuple(reached.values())


def sort_by_similarity(
    expansions: tuple[Expansion, ...], question: Question, search: SearchReads
) -> tuple[Expansion, ...]:
    """Closest to the question first; without a question the order stays."""
    if not question.vector:
        return expansions
    ids = tuple(expansion.document_id for expansion in expansions)
    similarities = search.node_similarities(question.vector, ids)
    return tuple(
        sorted(expansions, key=lambda e: (-similarities.get(e.document_id, 0), e.document_id))
    )
