"""The allow-list of relations."""

import pytest

from docgraph.plan.resolved_edges import check_relations, relation_filter


@pytest.mark.requirement(21)
def test_absent_is_all_and_empty_is_none() -> None:
    assert relation_filter(None) is None
    assert relation_filter(()) == frozenset()
    assert relation_filter(("calls", "contains")) == frozenset({"calls", "contains"})


@pytest.mark.requirement(21)
def test_an_unknown_relation_is_reported_with_a_suggestion() -> None:
    assert check_relations({"relations": ("calls", "import")}) == (
        "no relation is called 'import'; did you mean 'imports'?"
    )
    message = check_relations({"relations": ("zzz",)})
    assert message is not None
    assert message.startswith("no relation is called 'zzz'; known: calls, contains, ")


@pytest.mark.requirement(21)
@pytest.mark.parametrize("options", [{}, {"relations": None}, {"relations": ()}])
def test_no_list_and_an_empty_one_are_known(options: dict[str, object]) -> None:
    assert check_relations(options) is None
