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
from tests.support.contexts import context_of

names = st.frozensets(st.sampled_from(["board", "eu", "hr"]))
levels = st.integers(0, 3)
clearances = st.builds(Clearance, names, levels)
classifications = st.tuples(names, levels)
HERE = Location("a.md", 1, 1, 0, 4)


def item(number: int, labels: frozenset[str], level: int) -> ContextItem:
    why = Reasons("seed 1 of 1", "readable by everyone", "1 tokens, 1 of 9 used")
    node = f"r:{number}.md"
    return ContextItem(number, f"{node}@0", node, "A", (), HERE, "text", 1, labels, level, why)


def context(*marked: tuple[frozenset[str], int]) -> Context:
    items = tuple(
        item(number, *classification) for number, classification in enumerate(marked, start=1)
    )
    return context_of(*items)


contexts = st.lists(classifications, max_size=6).map(lambda marked: context(*marked))


@pytest.mark.requirement(47)
@given(clearances, classifications)
def test_an_endpoint_is_like_a_reader_whose_groups_do_not_matter(
    clearance: Clearance, classification: tuple[frozenset[str], int]
) -> None:
    reader = Principal("endpoint", "t", frozenset({"g"}), clearance.labels, clearance.level)
    rule = AccessRule("t", frozenset({"g"}), *classification)
    assert clearance.covers(*classification) == reader.may_read(rule)


@pytest.mark.requirement(47)
@pytest.mark.parametrize(("held", "sent"), [("", False), ("eu", False), ("eu hr", True)])
def test_an_endpoint_needs_every_label_of_a_document(held: str, sent: bool) -> None:
    endpoint = Clearance(frozenset(held.split()), 2)
    assert endpoint.covers(frozenset({"eu", "hr"}), 2) is sent
    assert not endpoint.covers(frozenset({"eu", "hr"}), 3)
    assert (endpoint.reason_against(frozenset({"eu", "hr"}), 2) == "") is sent


@pytest.mark.requirement(47)
@given(classifications)
def test_without_settings_only_what_no_label_marks_at_level_0_leaves(
    classification: tuple[frozenset[str], int],
) -> None:
    assert Clearance() == UNCLASSIFIED
    assert UNCLASSIFIED.covers(*classification) == (classification == (frozenset(), 0))


@pytest.mark.requirement(47)
@given(contexts, clearances)
def test_a_clearance_for_a_context_covers_every_item(found: Context, one: Clearance) -> None:
    every = all(one.covers(item.labels, item.level) for item in found.items)
    assert one.covers(*classification_of(found)) == every


@pytest.mark.requirement(47)
@given(contexts, clearances, clearances)
def test_lowering_a_clearance_never_sends_more(
    found: Context, one: Clearance, other: Clearance
) -> None:
    lower = Clearance(one.labels & other.labels, min(one.level, other.level))
    if may_send(lower, *classification_of(found)):
        assert may_send(one, *classification_of(found))
        assert may_send(other, *classification_of(found))


@given(clearances, classifications)
def test_there_is_an_objection_to_what_is_not_admitted_and_to_nothing_else(
    clearance: Clearance, classification: tuple[frozenset[str], int]
) -> None:
    assert bool(clearance.reason_against(*classification)) != clearance.covers(*classification)


@pytest.mark.requirement(47)
def test_a_reason_names_the_missing_labels_and_the_level() -> None:
    found = context((frozenset({"hr", "board", "eu"}), 2), (frozenset(), 1), (frozenset({"eu"}), 0))
    reason = Clearance(frozenset({"eu"})).reason_against(*classification_of(found))
    assert reason == "the endpoint lacks labels board hr, level 2 is above the endpoint's 0"


@given(classifications)
def test_a_model_in_this_process_needs_no_clearance(
    classification: tuple[frozenset[str], int],
) -> None:
    assert may_send(None, *classification)


@given(clearances, classifications)
def test_a_clearance_decides_what_may_be_sent(
    clearance: Clearance, classification: tuple[frozenset[str], int]
) -> None:
    assert may_send(clearance, *classification) == clearance.covers(*classification)
