"""A module counts for a request's option however the option is spelled in it."""

from pathlib import Path

import pytest

from checks.option_spread import find_option_files
from checks.source_files import SourceFile


def _spread(text: str, path: str = "interfaces/cli/a.py") -> int:
    return len(find_option_files([SourceFile(Path(path), text)], "limit"))


@pytest.mark.parametrize(
    "text",
    [
        *("limit = 1", "x.limit", "f(limit=1)", "def f(limit): ...", "x['limit']"),
        *("'at most limit'", "limit: int | None", "limit: int = 1", "f(limit=asked.limit)"),
    ],
)
def test_a_name_an_attribute_a_keyword_a_parameter_and_a_string_count(text: str) -> None:
    assert _spread(text) == 1


@pytest.mark.parametrize("text", ["limits = 1", "# limit", "x.limit_of", "'unlimited'"])
def test_a_comment_and_a_longer_name_do_not_count(text: str) -> None:
    assert _spread(text) == 0


@pytest.mark.parametrize(
    "text",
    ["context.limit", "found.context.limit", "page.limit", "f(limit=page.limit)", "limit: int"],
)
def test_a_field_of_a_result_is_not_an_option_of_a_request(text: str) -> None:
    assert _spread(text) == 0


@pytest.mark.parametrize(
    ("path", "count"),
    [
        *(("pipeline/request.py", 1), ("engine/questions.py", 1), ("wiring/settings.py", 1)),
        *(("pipeline/run.py", 0), ("assemble/choose.py", 0), ("adapters/endpoint/chat.py", 0)),
    ],
)
def test_only_modules_that_pass_a_request_are_counted(path: str, count: int) -> None:
    assert _spread("f(limit=1)", path) == count
