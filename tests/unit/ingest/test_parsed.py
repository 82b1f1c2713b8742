"""A field has one name, however it is written."""

import pytest

from docgraph.ingest.parsed_file import field_name


@pytest.mark.parametrize("raw", ["Superseded-By", "superseded by", "SUPERSEDED_BY"])
def test_a_field_has_one_name(raw: str) -> None:
    assert field_name(raw) == "superseded_by"
