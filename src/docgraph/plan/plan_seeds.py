"""plan_seeds: the plan of the seeds alone, put in where a pipeline fetches without expanding."""

from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.node import document_of
from docgraph.model.plan import Cut, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds

# The bounds of every plan, in one place.


DOCUMENTS = 6
SEED_PLACES = 3
DEEPEST = 5
MOST_NODES = 500


def within(seeds: Seeds, documents: int) -> tuple[str, ...]:
    """The seeds whose documents are the first so many; sections count as their document."""
    roots = tuple(dict.fromkeys(document_of(seed) for seed in seeds.ids))[:documents]
    return tuple(seed for seed in seeds.ids if document_of(seed) in roots)


@action(implicit=True)
def plan_seeds(
    question: Question,
    seeds: Seeds,
    *,
    documents: Annotated[int, Interval(ge=1, le=500)] = DOCUMENTS,
) -> RetrievalPlan:
    kept = within(seeds, documents)
    return RetrievalPlan.of_seeds(
        question,
        kept,
        search=seeds.search,
        selection=seeds.selection,
        exact=seeds.exact,
        documents=documents,
        cut=tuple(Cut(seed, f"documents={documents}") for seed in seeds.ids if seed not in kept),
    )
