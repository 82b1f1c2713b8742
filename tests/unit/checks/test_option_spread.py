"""A module counts for an option however the option is spelled in it."""

from pathlib import Path

import pytest

from checks.option_spread import find_option_files
from checks.source_files import SourceFile


def _spread(text: str) -> int:
    return len(find_option_files([SourceFile(Path("a.py"), text)], "limit"))


@pytest.mark.parametrize(
    "text",
    ["limit = 1", "x.limit", "f(limit=1)", "def f(limit): ...", "x['limit']", "'at most limit'"],
)
def test_a_name_an_attribute_a_keyword_a_parameter_and_a_string_count(text: str) -> None:
    assert _spread(text) == 1


@pytest.mark.parametrize("text", ["limits = 1", "# limit", "x.limit_of", "'unlimited'"])
def test_a_comment_and_a_longer_name_do_not_count(text: str) -> None:
    assert _spread(text) == 0
