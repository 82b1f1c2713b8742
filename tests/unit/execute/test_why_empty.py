"""Saying why there is no evidence."""

from dataclasses import replace

import pytest

from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.evidence import not_visible, why_empty
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.memory_world import world
from tests.support.sample_documents import ask, document, seeds


@pytest.mark.requirement(26)
def test_the_reason_for_an_empty_plan_is_that_nothing_visible_matches() -> None:
    assert (
        why_empty(plan_seeds(ask("why?"), seeds()), (), ()) == "no seeds: nothing visible matches"
    )


@pytest.mark.requirement(26)
def test_the_reason_for_a_plan_of_missing_documents_is_that_nothing_is_left() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:gone"))
    assert why_empty(plan, (), (not_visible("r:gone"),)) == "nothing visible is left of this plan"


@pytest.mark.requirement(26)
def test_the_reason_for_a_plan_without_text_is_that_nothing_fits() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:a", "r:gone"))
    message = "nothing visible of this plan has a text that fits"
    assert why_empty(plan, (), (not_visible("r:gone"),)) == message


@pytest.mark.requirement(34)
def test_forbidden_deleted_and_never_stored_look_the_same() -> None:
    assert not_visible("r:a").reason == "nothing visible under this id"
    assert not not_visible("r:a").entered


def test_with_evidence_there_is_no_reason() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:a"))
    (node,) = fetch_evidence(plan, world(document("r:a", "text")).texts(plan)).nodes
    assert why_empty(plan, (node,), ()) == ""
    assert why_empty(plan, (replace(node, chunks=()),), ()) != ""
