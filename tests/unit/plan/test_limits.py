"""The bounds of every plan."""

import pytest

from docgraph.plan.plan_seeds import DEFAULT_DOCUMENTS, DEFAULT_SEED_PLACES, MAX_DEPTH, MAX_NODES


@pytest.mark.requirement(20)
@pytest.mark.requirement(22)
def test_six_documents_three_of_them_seeds_and_a_hard_ceiling() -> None:
    assert (DEFAULT_DOCUMENTS, DEFAULT_SEED_PLACES) == (6, 3)
    assert (MAX_DEPTH, MAX_NODES) == (5, 500)
