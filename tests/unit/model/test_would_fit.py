"""An error says what would fit."""

from docgraph.model.validation import would_fit

KNOWN = ("calls", "imports")


def test_the_closest_name_is_offered() -> None:
    assert would_fit("import", KNOWN) == "did you mean 'imports'?"


def test_where_none_is_close_all_are_listed() -> None:
    assert would_fit("zzz", KNOWN) == "known: calls, imports"
