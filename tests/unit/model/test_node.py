"""A location that a citation can open."""

import pytest

from docgraph.model.node import Location


@pytest.mark.requirement(6)
@pytest.mark.parametrize(
    ("location", "cited"),
    [
        (Location("a.md", 3, 3, 0, 9), "a.md:3"),
        (Location("a.md", 3, 7, 0, 9), "a.md:3-7"),
        (Location("a.pdf", 1, 1, 0, 9, page=4), "a.pdf p. 4"),
        (Location("a.ipynb", 1, 5, 0, 9, page=3), "a.ipynb cell 3"),
        (Location("A.IPYNB", 1, 5, 0, 9, page=3), "A.IPYNB cell 3"),
    ],
)
def test_a_location_is_cited_by_its_lines_its_page_or_its_cell(
    location: Location, cited: str
) -> None:
    assert location.cite() == cited
