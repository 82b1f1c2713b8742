"""A relation is shown with the first place that shows it, and no line where there is none."""

import pytest

from docgraph.interfaces.cli.render_retrieval import format_relation
from docgraph.model.edge import Edge, EdgeEvidence, Relationship


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("places", "shown"),
    [
        ((EdgeEvidence("relations.yaml", 0, 0, 0, 0, "why"),), "curated: relations.yaml"),
        ((EdgeEvidence("a.md", 3, 0, 4, 0, "b.md"),), "curated: a.md:3"),
        (
            (
                EdgeEvidence("a.md", 3, 0, 4, 0, "b.md"),
                EdgeEvidence("relations.yaml", 0, 0, 0, 0, "why"),
            ),
            "curated: a.md:3 and 1 more",
        ),
        ((), "curated"),
    ],
)
def test_evidence_is_shown_with_its_line_where_it_has_one(
    places: tuple[EdgeEvidence, ...], shown: str
) -> None:
    message = format_relation(Relationship(Edge("r:a", "explains", "r:b"), ("curated",), places))
    assert message == f"r:a ->[green]explains[/green]-> r:b  [dim]{shown}[/dim]"
