"""A field has one name, however it is written."""

import pytest

from docgraph.ingest.parsed_file import normalise_field_name


@pytest.mark.parametrize("raw", ["Superseded-By", "superseded by", "SUPERSEDED_BY"])
def test_a_field_has_one_name(raw: str) -> None:
    assert normalise_field_name(raw) == "superseded_by"
