"""A field's values, each with its own span."""

import pytest

from docgraph.ingest.miners.headers import split_values
from docgraph.ingest.parsed_file import HeaderField


def field(value: str) -> HeaderField:
    return HeaderField("supersedes", value, 3, 100, 100 + len(value))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("ADR-1", ["ADR-1"]),
        ("1, 2 and 3;4", ["1", "2", "3", "4"]),
        ("[ADR 5](0005-x.md)", ["0005-x.md"]),
        ("[ADR 5](a.md), ADR-6", ["a.md", "ADR-6"]),
        ("`five <b.rst>`_.", ["b.rst"]),
        ('"ADR-7".', ["ADR-7"]),
        ("none", []),
        ("-", []),
        ("Old design of access", ["Old design of access"]),
    ],
)
def test_values_are_split(value: str, found: list[str]) -> None:
    assert [one.value for one in split_values(field(value))] == found


def test_each_value_has_its_own_span() -> None:
    spans = [(one.start, one.end) for one in split_values(field("ADR-1, ADR-22"))]
    assert spans == [(100, 105), (107, 113)]


def test_a_value_that_was_unfolded_has_the_fields_span() -> None:
    folded = HeaderField("supersedes", "a, b", 3, 100, 120)
    assert [(one.start, one.end) for one in split_values(folded)] == [(100, 120), (100, 120)]
