"""Saying why there is no evidence."""

from dataclasses import replace

import pytest

from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.execute.nothing import why_empty
from docgraph.plan.plan_seeds import plan_seeds
from tests.unit.windows import ask, document, seeds, world


@pytest.mark.requirement(26)
def test_an_empty_plan_says_that_nothing_visible_matches() -> None:
    assert why_empty(plan_seeds(ask("why?"), seeds()), ()) == "nothing visible matches"


@pytest.mark.requirement(26)
def test_a_plan_whose_documents_are_gone_says_so() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:gone"))
    assert why_empty(plan, ()) == "nothing visible is left of this plan"


def test_where_there_is_something_to_show_there_is_nothing_to_say() -> None:
    plan = plan_seeds(ask("why?"), seeds("r:a"))
    (node,) = fetch_evidence(plan, world(document("r:a", "text")).texts(plan)).nodes
    assert why_empty(plan, (node,)) == ""
    assert why_empty(plan, (replace(node, passages=()),)) != ""
