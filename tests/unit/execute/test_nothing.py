"""Saying why there is no evidence."""

from dataclasses import replace

import pytest

from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.evidence import not_visible, why_empty
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.made_documents import ask, document, seeds
from tests.support.memory_world import world


@pytest.mark.requirement(26)
def test_an_empty_plan_says_that_nothing_visible_matches() -> None:
    assert why_empty(plan_seeds(ask("why?"), seeds()), (), ()) == "nothing visible matches"


@pytest.mark.requirement(26)
def test_a_plan_whose_documents_are_gone_says_so() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:gone"))
    assert why_empty(plan, (), (not_visible("r:gone"),)) == "nothing visible is left of this plan"


@pytest.mark.requirement(26)
def test_a_plan_that_is_visible_and_has_nothing_to_show_says_so() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:a", "r:gone"))
    told = "nothing visible of this plan has a text that fits"
    assert why_empty(plan, (), (not_visible("r:gone"),)) == told


@pytest.mark.requirement(34)
def test_forbidden_deleted_and_never_there_read_alike() -> None:
    assert not_visible("r:a").reason == "nothing visible under this id"
    assert not not_visible("r:a").entered


def test_where_there_is_something_to_show_there_is_nothing_to_say() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:a"))
    (node,) = fetch_evidence(plan, world(document("r:a", "text")).texts(plan)).nodes
    assert why_empty(plan, (node,), ()) == ""
    assert why_empty(plan, (replace(node, passages=()),), ()) != ""
