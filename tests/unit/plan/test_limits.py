"""The bounds of every plan."""

import pytest

from docgraph.plan.plan_seeds import DEEPEST, DOCUMENTS, MOST_NODES, SEED_PLACES


@pytest.mark.requirement(20)
@pytest.mark.requirement(22)
def test_six_documents_three_of_them_seeds_and_a_hard_ceiling() -> None:
    assert (DOCUMENTS, SEED_PLACES) == (6, 3)
    assert (DEEPEST, MOST_NODES) == (5, 500)
