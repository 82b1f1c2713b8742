"""Anchors are GitHub's."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.formats.sections import Slugs, make_slug


def test_a_slug_is_the_heading_in_small_letters_without_punctuation() -> None:
    assert make_slug(" What's `new` in 3.11? ") == "whats-new-in-311"
    assert make_slug("Über uns_2") == "über-uns_2"


def test_a_heading_of_nothing_but_signs_still_has_an_anchor() -> None:
    assert make_slug("???") == "section"


def test_a_repeated_heading_is_counted_in_document_order() -> None:
    slugs = Slugs()
    assert [slugs.assign(h) for h in ("A", "A", "A-1", "a")] == ["a", "a-1", "a-1-1", "a-2"]


@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "b", "?"])))
def test_no_anchor_is_handed_out_twice(headings: list[str]) -> None:
    slugs = Slugs()
    taken = [slugs.assign(heading) for heading in headings]
    assert len(set(taken)) == len(taken)
