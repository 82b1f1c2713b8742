"""The retrieval plan as pure data."""

from dataclasses import fields, replace

import pytest

from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.seeds import Selection
from tests.support.sample_documents import EMBEDDER

FREE = Constraints((), Selection(), False, 1, "out", None, 6, 3, None, "similarity")
EXPANDED = Expansion("r:c", "explains", "r:a#x", "r:c#y", 1)
PLAN = RetrievalPlan(
    question="why?",
    query_vector=(4080, 0, 0),
    embedder=EMBEDDER,
    seed_documents=("r:a#x", "r:a#z", "r:b"),
    expanded_documents=(EXPANDED,),
    order=("r:a#x", "r:a#z", "r:c", "r:b"),
    constraints=FREE,
    cut=(Cut("r:d", "max_documents=6"),),
)


@pytest.mark.requirement(22)
def test_sections_count_as_their_document_in_order_of_admission() -> None:
    assert PLAN.documents == ("r:a", "r:c", "r:b")
    assert PLAN.nodes == {"r:a#x", "r:a#z", "r:b", "r:c"}


@pytest.mark.requirement(33)
def test_the_rule_for_a_seed_is_its_position() -> None:
    assert PLAN.rule_for("r:b") == "seed 3 of 3"


@pytest.mark.requirement(33)
def test_the_rule_for_an_expanded_document_is_its_edge() -> None:
    assert PLAN.rule_for("r:c") == "r:a#x ->explains-> r:c#y (depth 1)"


@pytest.mark.requirement(20)
@pytest.mark.requirement(33)
def test_an_edge_followed_backwards_is_described_in_its_own_direction() -> None:
    caller = Expansion("r:c", "calls", "r:c", "r:b", 2, backwards=True)
    plan = replace(PLAN, expanded_documents=(caller,))
    assert plan.rule_for("r:c") == "r:c ->calls-> r:b (depth 2, walked backwards)"


@pytest.mark.requirement(23)
@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, question="why not?"),
        replace(PLAN, query_vector=(0, 4080, 0)),
        replace(PLAN, order=("r:b", "r:a#x", "r:a#z", "r:c")),
        replace(PLAN, constraints=replace(FREE, max_documents=7)),
        replace(PLAN, cut=()),
    ],
)
def test_the_digest_covers_question_vector_order_constraints_and_cut(other: RetrievalPlan) -> None:
    assert other.digest != PLAN.digest
    assert replace(PLAN).digest == PLAN.digest


@pytest.mark.requirement(23)
def test_a_plan_has_no_field_for_scores_or_for_a_documents_text() -> None:
    named = {f.name for kind in (RetrievalPlan, Constraints, Expansion, Cut) for f in fields(kind)}
    assert not {"score", "scores", "similarity", "text", "summary", "title"} & named
