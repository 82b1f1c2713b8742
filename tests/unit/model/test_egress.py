"""What may be sent to a model that runs elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.access import (
    UNCLASSIFIED,
    AccessRule,
    Clearance,
    Principal,
    classification_of,
    may_send,
)
from docgraph.model.context import Context, ContextItem, Reasons
from docgraph.model.node import Location

names = st.frozensets(st.sampled_from(["board", "eu", "hr"]))
levels = st.integers(0, 3)
ceilings = st.builds(Clearance, names, levels)
marks = st.tuples(names, levels)
HERE = Location("a.md", 1, 1, 0, 4)


def item(number: int, labels: frozenset[str], level: int) -> ContextItem:
    why = Reasons("seed 1 of 1", "readable by everyone", "1 tokens, 1 of 9 used")
    node = f"r:{number}.md"
    return ContextItem(
        number, "evidence", node, node, f"{node}@0", "A", (), HERE, "text", 1, labels, level, why
    )


def context(*marked: tuple[frozenset[str], int]) -> Context:
    items = tuple(item(number, *mark) for number, mark in enumerate(marked, start=1))
    return Context("why?", "page", 1, 9, "words", items, (), (), "")


contexts = st.lists(marks, max_size=6).map(lambda marked: context(*marked))


@pytest.mark.requirement(47)
@given(ceilings, marks)
def test_an_endpoint_is_like_a_reader_whose_groups_do_not_matter(
    clearance: Clearance, mark: tuple[frozenset[str], int]
) -> None:
    reader = Principal("endpoint", "t", frozenset({"g"}), clearance.labels, clearance.level)
    rule = AccessRule("t", frozenset({"g"}), *mark)
    assert clearance.covers(*mark) == reader.may_read(rule)


@pytest.mark.requirement(47)
@given(marks)
def test_without_settings_only_what_no_label_marks_at_level_0_leaves(
    mark: tuple[frozenset[str], int],
) -> None:
    assert Clearance() == UNCLASSIFIED
    assert UNCLASSIFIED.covers(*mark) == (mark == (frozenset(), 0))


@pytest.mark.requirement(47)
@given(contexts, ceilings)
def test_who_may_read_a_context_may_read_every_item_of_it(found: Context, one: Clearance) -> None:
    every = all(one.covers(item.labels, item.level) for item in found.items)
    assert one.covers(*classification_of(found)) == every


@pytest.mark.requirement(47)
@given(contexts, ceilings, ceilings)
def test_lowering_a_ceiling_never_sends_more(
    found: Context, one: Clearance, other: Clearance
) -> None:
    lower = Clearance(one.labels & other.labels, min(one.level, other.level))
    if may_send(lower, *classification_of(found)):
        assert may_send(one, *classification_of(found))
        assert may_send(other, *classification_of(found))


@given(ceilings, marks)
def test_there_is_an_objection_to_what_is_not_admitted_and_to_nothing_else(
    clearance: Clearance, mark: tuple[frozenset[str], int]
) -> None:
    assert bool(clearance.reason_against(*mark)) != clearance.covers(*mark)


@pytest.mark.requirement(47)
def test_a_reason_is_told_in_words() -> None:
    found = context((frozenset({"hr", "board", "eu"}), 2), (frozenset(), 1), (frozenset({"eu"}), 0))
    told = Clearance(frozenset({"eu"})).reason_against(*classification_of(found))
    assert told == "the endpoint lacks labels board hr, level 2 is above the endpoint's 0"


@given(marks)
def test_a_model_in_this_process_has_no_ceiling(mark: tuple[frozenset[str], int]) -> None:
    assert may_send(None, *mark)


@given(ceilings, marks)
def test_with_a_ceiling_it_decides(clearance: Clearance, mark: tuple[frozenset[str], int]) -> None:
    assert may_send(clearance, *mark) == clearance.covers(*mark)
