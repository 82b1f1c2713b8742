"""What a reader of code found in one file, each kind of relation under its own miner."""

from dataclasses import replace

import pytest

from docgraph.ingest.miners.document_view import MOST_PLACES
from docgraph.ingest.miners.registry import ALL_MINERS, MINER_OF
from docgraph.ingest.parsed_file import Pointer
from docgraph.model.edge import RELATIONS
from docgraph.model.reference import Reference
from tests.unit.ingest.fakes import built, parsed

TEXT = "def f():\n    g()\n"


def claims(*pointers: Pointer) -> list[Reference]:
    made = replace(parsed("a.py", TEXT), pointers=pointers)
    return [claim for claim in built("a.py", made).references if claim.miner in MINER_OF.values()]


@pytest.mark.requirement(3)
def test_a_pointer_is_a_claim_of_the_part_it_stands_in() -> None:
    inside = Pointer("calls", 0, "py:b", 2, 13, 14, "g()", "::g", True, 2, 1, False)
    (claim,) = claims(inside)
    assert claim == Reference(
        source="r:a.py::f",
        relation="calls",
        key="py:b",
        start=13,
        end=14,
        line=2,
        says="g()",
        miner="calls",
        inner="::g",
        strict=True,
        rank=2,
        near=1,
        reported=False,
    )


def test_of_calls_by_one_function_to_another_the_first_few_places_are_claimed() -> None:
    many = [Pointer("calls", 0, "py:b", 2, at, at + 1, "g()", "::g") for at in range(20)]
    other = Pointer("calls", 0, "py:b", 2, 50, 51, "h()", "::h")
    found = claims(*many, other, replace(many[0], part=None))
    assert [claim.start for claim in found] == [*range(MOST_PLACES), 50, 0]


def test_a_pointer_of_no_part_is_a_claim_of_the_file() -> None:
    (claim,) = claims(Pointer("imports", None, "py:b", 1, 0, 1, "b"))
    assert claim.source == "r:a.py"


@pytest.mark.parametrize(
    ("relation", "miner"),
    [
        ("imports", "imports"),
        ("calls", "calls"),
        ("inherits", "types"),
        ("implements", "types"),
        ("reads", "tables"),
        ("writes", "tables"),
        ("references", "tables"),
    ],
)
def test_each_kind_of_relation_can_be_switched_off_by_itself(relation: str, miner: str) -> None:
    (claim,) = claims(Pointer(relation, None, "k", 1, 0, 1, "x"))
    assert (claim.relation, claim.miner) == (relation, miner)
    assert miner in ALL_MINERS
    assert relation in RELATIONS
