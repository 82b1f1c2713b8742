"""Suggestions for unknown names."""

from docgraph.model.validation import suggest

KNOWN = ("calls", "imports")


def test_the_closest_name_is_suggested() -> None:
    assert suggest("import", KNOWN) == "did you mean 'imports'?"


def test_where_none_is_close_all_are_listed() -> None:
    assert suggest("zzz", KNOWN) == "known: calls, imports"
