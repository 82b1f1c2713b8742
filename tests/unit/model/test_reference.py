"""References and definitions: the two ends of a mined edge."""

from docgraph.model.reference import Definition, ReferenceTarget


def test_the_likelier_of_two_definitions_of_a_key_comes_first() -> None:
    definitions = [Definition("path:a", rank=3), Definition("path:a", rank=1), Definition("doc:a")]
    assert sorted(definitions) == [definitions[2], definitions[1], definitions[0]]


def test_a_target_is_the_node_with_the_key_itself_and_reported_unless_stated_otherwise() -> None:
    plain = ReferenceTarget("path:b.md")
    assert (plain.inner, plain.strict, plain.rank, plain.distance_weight) == ("", False, 0, 0)
    assert plain.report_unresolved
