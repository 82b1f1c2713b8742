"""expand_relationships: one hop along outgoing edges, within a cap on documents."""

from typing import Annotated, Literal

from annotated_types import Interval

from docgraph.contract import action
from docgraph.model.identity import document_of
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.plan.limits import DOCUMENTS, SEED_PLACES
from docgraph.plan.plan_seeds import within
from docgraph.plan.relations_option import allowed, first_place, known_relations
from docgraph.plan.settle import outgoing
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import SearchReads

Admit = Literal["similarity", "first_mention"]


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
    admit: Admit = "similarity",
) -> RetrievalPlan:
    """Seeds take at most `seed_places`, neighbours the rest; what they leave free goes to seeds.

    Neighbours are ordered without relation weights: by their own similarity to the question, or
    by seed and first mention. They stand before the first seed that took a free place.
    """
    first = within(seeds, min(seed_places, documents))
    found = neighbours(first, graph, relations)
    if admit == "similarity":
        found = by_similarity(found, question, search)
    roots = {document_of(seed) for seed in first}
    admitted = found[: documents - len(roots)]
    expanded = tuple(expansion.document_id for expansion in admitted)
    taken = roots.union(expanded)
    further = _further(seeds, taken, documents - len(taken))
    speaking = roots | further
    kept = tuple(seed for seed in seeds.ids if document_of(seed) in speaking)
    turn = next((at for at, seed in enumerate(kept) if document_of(seed) in further), len(kept))
    return RetrievalPlan(
        question=question.text,
        query_vector=question.vector,
        embedder=question.embedder,
        seed_documents=kept,
        expanded_documents=admitted,
        order=kept[:turn] + expanded + kept[turn:],
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
            if document_of(node) not in taken | further
        ),
    )


def neighbours(
    first: tuple[str, ...], graph: GraphReads, relations: tuple[str, ...] | None
) -> tuple[Expansion, ...]:
    """Documents one edge away, each by its first edge, in order of seed and first mention."""
    place = {seed: index for index, seed in enumerate(first)}
    roots = {document_of(seed): index for index, seed in reversed(tuple(enumerate(first)))}
    edges = sorted(
        outgoing(graph, first, allowed(relations)),
        key=lambda found: (
            place.get(found.edge.source, roots[document_of(found.edge.source)]),
            first_place(found),
            found.edge,
        ),
    )
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
    near = search.similarities(question.vector, tuple(e.document_id for e in found))
    return tuple(sorted(found, key=lambda e: (-near.get(e.document_id, 0), e.document_id)))


def _further(seeds: Seeds, taken: set[str], places: int) -> frozenset[str]:
    """The next seeds' documents, as many as there are free places."""
    roots = [root for root in dict.fromkeys(map(document_of, seeds.ids)) if root not in taken]
    return frozenset(roots[:places])
