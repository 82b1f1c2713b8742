"""The plan of the seeds alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.sample_documents import ask, roots, seeds

ids = st.lists(st.from_regex(r"r:[a-h](#[xyz])?", fullmatch=True), unique=True, max_size=12)


def planned(found: Seeds) -> RetrievalPlan:
    plan = contract_of(plan_seeds).call((ask("why?"), found), {})
    assert isinstance(plan, RetrievalPlan)
    return plan


@pytest.mark.requirement(26)
@given(ids)
def test_a_plan_of_seeds_has_the_first_six_documents_in_order(found: list[str]) -> None:
    plan = planned(seeds(*found))
    assert plan.order == plan.seed_documents == seeds(*found).of_first_documents(6)
    assert plan.expanded_documents == ()
    assert len(plan.documents) <= 6


@pytest.mark.requirement(22)
@given(ids, st.integers(1, 9))
def test_sections_count_as_their_document(found: list[str], documents: int) -> None:
    kept = seeds(*found).of_first_documents(documents)
    assert len(roots(kept)) == min(documents, len(roots(found)))
    assert [seed for seed in found if seed in kept] == list(kept)
    assert not roots(kept) & roots(set(found) - set(kept))


@pytest.mark.requirement(22)
@given(ids)
def test_what_was_cut_is_recorded_with_its_limit(found: list[str]) -> None:
    plan = planned(seeds(*found))
    assert {cut.document_id for cut in plan.cut} == set(found) - set(plan.order)
    assert {cut.limit for cut in plan.cut} <= {"max_documents=6"}


@pytest.mark.requirement(26)
def test_no_seeds_is_an_empty_plan() -> None:
    plan = planned(seeds())
    assert plan.order == ()
    assert plan.question == "why?"


@pytest.mark.requirement(23)
def test_the_plan_carries_the_question_and_its_vector_and_how_seeds_were_found() -> None:
    question = ask("why?")
    plan = plan_seeds(question, seeds("r:a"))
    assert (plan.question, plan.query_vector) == (question.text, question.vector)
    assert plan.embedder == question.embedder
    assert plan.constraints.search == (("mode", "test"),)
    assert plan.constraints.traversal_enabled is False
    assert (plan.constraints.max_relationship_depth, plan.constraints.relations) == (0, ())
