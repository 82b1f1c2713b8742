"""Edges between documents that contain the same rare name."""

import pytest

from docgraph.model.edge import Edge, EdgeEvidence
from docgraph.model.link import MAX_NAME_HOLDERS, NameHolder, shared_name_edges


def holders(count: int) -> list[NameHolder]:
    return [NameHolder(f"r:{n}.md", f"{n}.md", n + 1, "Marie Curie") for n in range(count)]


def test_a_name_in_two_documents_links_each_to_the_other() -> None:
    both = holders(2)
    (there,) = shared_name_edges("r:0.md", both, "names")
    (back,) = shared_name_edges("r:1.md", both, "names")
    assert there.edge == Edge("r:0.md", "shares_entity", "r:1.md")
    assert back.edge == Edge("r:1.md", "shares_entity", "r:0.md")
    assert there.origins == ("names",)


def test_evidence_is_the_names_first_line_without_characters() -> None:
    (there,) = shared_name_edges("r:1.md", holders(2), "names")
    assert there.evidence == (EdgeEvidence("1.md", 2, 0, 0, 0, "Marie Curie"),)


@pytest.mark.parametrize("count", range(1, MAX_NAME_HOLDERS + 2))
def test_a_rare_name_leads_to_every_other_holder_and_a_common_one_to_none(count: int) -> None:
    found = list(shared_name_edges("r:0.md", holders(count), "names"))
    assert len(found) == (count - 1 if count <= MAX_NAME_HOLDERS else 0)


def test_both_directions_give_the_same_edges() -> None:
    held = holders(4)
    entering = list(shared_name_edges("r:2.md", held, "names", "in"))
    leaving = [
        found
        for holder in held
        for found in shared_name_edges(holder.document, held, "names")
        if found.edge.target == "r:2.md"
    ]
    assert entering == leaving
    assert len(entering) == 3


def test_the_order_of_holders_changes_no_edge() -> None:
    held = holders(5)
    forwards = set(shared_name_edges("r:3.md", held, "names"))
    assert forwards == set(shared_name_edges("r:3.md", held[::-1], "names"))


def test_of_several_positions_in_a_document_the_first_is_shown() -> None:
    """Two miners may find the same name; a store gives their rows in any order."""
    both = [NameHolder("r:a.md", "a.md", line, "Marie Curie") for line in (4, 2)]
    held = [*both, NameHolder("r:b.md", "b.md", 1, "Marie Curie")]
    for order in (held, held[::-1]):
        (there,) = shared_name_edges("r:a.md", order, "names")
        assert [one.line for one in there.evidence] == [2]
