"""The bounds of every plan."""

import pytest

from docgraph.plan.plan_seeds import (
    DEFAULT_MAX_DOCUMENTS,
    DEFAULT_MAX_SEED_DOCUMENTS,
    MAX_DEPTH,
    MAX_NODES,
)


@pytest.mark.requirement(20)
@pytest.mark.requirement(22)
def test_defaults_are_six_documents_and_three_seeds_and_there_is_a_maximum() -> None:
    assert (DEFAULT_MAX_DOCUMENTS, DEFAULT_MAX_SEED_DOCUMENTS) == (6, 3)
    assert (MAX_DEPTH, MAX_NODES) == (5, 500)
