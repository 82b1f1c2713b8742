"""Relation types."""

import pytest

from docgraph.model.edge import (
    CONTAINS,
    INVERSES,
    MINED_RELATIONS,
    RELATIONS,
    SHARES_ENTITY,
)


def test_relations_are_listed_by_name() -> None:
    assert list(RELATIONS) == sorted(RELATIONS)


@pytest.mark.requirement(5)
def test_every_inverse_is_a_relation_and_turns_back() -> None:
    for relation, inverse in INVERSES.items():
        assert inverse in RELATIONS
        assert INVERSES[inverse] == relation != inverse


@pytest.mark.requirement(5)
@pytest.mark.parametrize("relation", ["supersedes", "replaces", "obsoletes", "updates"])
def test_lifecycle_relations_have_an_inverse(relation: str) -> None:
    assert relation in INVERSES


def test_references_and_definitions_make_every_relation_but_containment_and_shared_names() -> None:
    assert set(RELATIONS) - MINED_RELATIONS == {CONTAINS, SHARES_ENTITY}
    assert set(INVERSES) <= MINED_RELATIONS
