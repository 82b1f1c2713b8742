"""Claims and offers: the two halves of a mined edge."""

from docgraph.model.reference import Definition, Reference


def test_the_likelier_of_two_offers_of_a_key_comes_first() -> None:
    offers = [
        Definition("path:a", "r:a.md", 3),
        Definition("path:a", "r:a.md", 1),
        Definition("doc:a", "r:z.md"),
    ]
    assert sorted(offers) == [offers[2], offers[1], offers[0]]


def test_a_claim_means_the_offered_node_itself_and_is_told_of_unless_it_says_otherwise() -> None:
    plain = Reference("r:a.md", "references", "path:b.md", 0, 4, 1, "b.md", "links")
    assert (plain.inner, plain.strict, plain.rank, plain.near) == ("", False, 0, 0)
    assert plain.reported
