"""The page of tables: what people wrote stays, what was measured is replaced."""

import pytest

from benchmarks.quality_page import replaced, shown

PAGE = """# Quality

Words.

## One

<!-- quality: one -->
old
<!-- end of one -->

More words, with \\1 in them.

## Two

<!-- quality: two -->
<!-- end of two -->
"""


def test_a_sets_tables_take_the_place_of_its_old_ones() -> None:
    once = replaced(PAGE, "one", "new \\1")
    assert once == PAGE.replace("-->\nold\n<!--", "-->\n\nnew \\1\n\n<!--")
    assert replaced(once, "one", "new \\1") == once
    assert shown(once) == ["one", "two"]


def test_a_set_without_a_place_gets_one_at_the_end() -> None:
    page = replaced(PAGE, "three", "| |")
    assert page.startswith(PAGE.rstrip())
    assert shown(page) == ["one", "two", "three"]
    assert replaced(page, "three", "| |") == page


def test_a_place_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="the place of one must begin and end once"):
        replaced(PAGE.replace("<!-- end of one -->", ""), "one", "new")
