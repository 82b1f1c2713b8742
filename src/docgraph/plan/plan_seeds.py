"""plan_seeds: the plan of the seeds alone, for a pipeline that fetches without expanding."""

from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.model.plan import Cut, RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds

# Limits and defaults that planning actions share.
DEFAULT_MAX_DOCUMENTS = 6
DEFAULT_MAX_SEED_DOCUMENTS = 3
MAX_DEPTH = 5
MAX_NODES = 500


@action(implicit=True)
def plan_seeds(
    question: Question,
    seeds: Seeds,
    *,
    max_documents: Annotated[int, Interval(ge=1, le=500)] = DEFAULT_MAX_DOCUMENTS,
) -> RetrievalPlan:
    selected = seeds.of_first_documents(max_documents)
    return RetrievalPlan.of_seeds(
        question,
        selected,
        search=seeds.search,
        selection=seeds.selection,
        exact=seeds.exact,
        embeddings=seeds.embeddings,
        max_documents=max_documents,
        cut=tuple(
            Cut(seed, f"max_documents={max_documents}")
            for seed in seeds.ids
            if seed not in selected
        ),
    )
