"""What two retrievals differ in."""

from dataclasses import replace

import pytest

from docgraph.model.diff import Difference, RetrievalSummary, compare_retrievals
from docgraph.model.edge import Edge

ONE = Edge("r:a", "explains", "r:b")
SIDE = RetrievalSummary(
    settings={"asker": "ann", "pipeline": "p", "step": "on", "step.top": "8"},
    documents=frozenset({"r:a", "r:b"}),
    edges=frozenset({ONE}),
    context="digest",
    evidence={"r:a@0": "x", "r:b@0": "y"},
    tokens={"r:a": 5, "r:b": 7},
    total_tokens=14,
)


def test_a_side_does_not_differ_from_itself() -> None:
    found = compare_retrievals(SIDE, SIDE)
    assert not found.differs
    assert found.settings == ()
    assert found.total_tokens == (14, 14)


def test_gained_is_what_only_the_right_side_has() -> None:
    other = replace(
        SIDE,
        documents=frozenset({"r:a", "r:c"}),
        edges=frozenset({Edge("r:a", "mentions", "r:c")}),
        evidence={"r:a@0": "changed", "r:c@0": "z"},
        tokens={"r:a": 5, "r:c": 3},
        total_tokens=9,
    )
    found = compare_retrievals(SIDE, other)
    assert found.differs
    assert (found.documents_gained, found.documents_lost) == (("r:c",), ("r:b",))
    assert found.edges_gained == (Edge("r:a", "mentions", "r:c"),)
    assert found.edges_lost == (ONE,)
    assert (found.evidence_gained, found.evidence_lost) == (("r:c@0",), ("r:b@0",))
    assert found.evidence_changed == ("r:a@0",)
    assert found.tokens == (Difference("r:b", 7, 0), Difference("r:c", 0, 3))
    back = compare_retrievals(other, SIDE)
    assert (back.documents_gained, back.edges_lost) == (found.documents_lost, found.edges_gained)


def test_different_settings_are_listed_and_are_no_difference() -> None:
    asked = {"asker": "bob", "pipeline": "p", "step": "on", "step.top": "9"}
    found = compare_retrievals(SIDE, replace(SIDE, settings=asked))
    assert found.settings == (Difference("asker", "ann", "bob"), Difference("step.top", "8", "9"))
    assert not found.differs


def test_a_step_that_only_one_side_has_is_named_once() -> None:
    found = compare_retrievals(SIDE, replace(SIDE, settings={"asker": "ann", "pipeline": "p"}))
    assert found.settings == (Difference("step", "on", "-"),)


@pytest.mark.parametrize(
    "other",
    [
        replace(SIDE, context="another"),
        replace(SIDE, total_tokens=15),
        replace(SIDE, evidence={**(SIDE.evidence or {}), "r:a@0": "z"}),
        replace(SIDE, edges=frozenset()),
    ],
)
def test_whatever_they_give_otherwise_is_a_difference(other: RetrievalSummary) -> None:
    assert compare_retrievals(SIDE, other).differs
    assert compare_retrievals(other, SIDE).differs
