"""The page of tables: measured tables are replaced, other text stays."""

import pytest

from benchmarks.quality_page import replace_tables, set_names

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


def test_the_tables_of_a_dataset_replace_its_old_ones() -> None:
    once = replace_tables(PAGE, "one", "new \\1")
    assert once == PAGE.replace("-->\nold\n<!--", "-->\n\nnew \\1\n\n<!--")
    assert replace_tables(once, "one", "new \\1") == once
    assert set_names(once) == ["one", "two"]


def test_a_new_dataset_is_added_at_the_end() -> None:
    page = replace_tables(PAGE, "three", "| |")
    assert page.startswith(PAGE.rstrip())
    assert set_names(page) == ["one", "two", "three"]
    assert replace_tables(page, "three", "| |") == page


def test_a_section_without_an_end_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="the place of one must begin and end once"):
        replace_tables(PAGE.replace("<!-- end of one -->", ""), "one", "new")
