"""Every regular expression takes time in proportion to the text, however hostile."""

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

from docgraph.adapters.endpoint.chat import OPTIONAL_PARAMETERS
from docgraph.adapters.sources.git_bounds import EXTERNAL_PATHS
from docgraph.ingest.formats.html_tokens import RAW_ENDS
from docgraph.ingest.formats.pdf import title_forms
from docgraph.model.path_pattern import compile_pattern
from tests.growth.expressions import Expression, expressions, places
from tests.growth.hostile_strings import HostileString, hostile_strings
from tests.support.growth import growth_problem

# Of functions and names whose pattern is made while they run.
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "adapters/endpoint/chat.py:retry_without": tuple(rf"\b{one}\b" for one in OPTIONAL_PARAMETERS),
    "adapters/sources/git_bounds.py:check_bounds": tuple(EXTERNAL_PATHS.values()),
    "adapters/sources/git_bounds.py:_pointer_target": (rb"gitdir: ([^\x00-\x1f\x7f]{1,4096})\n?",),
    "ingest/formats/html_tokens.py:RAW_ENDS": tuple(one.pattern for one in RAW_ENDS.values()),
    "ingest/formats/pdf.py:_find_title": (*title_forms("a 1.1"), *title_forms("a a a")),
    "model/path_pattern.py:compile_pattern": tuple(
        attrgetter("match.__self__.pattern")(compile_pattern(one))
        for one in ("a", "*a", "**/a*b/**/[!a]?", "*a*a", "**/*", "/a/**/b/**")
    ),
}
# Docgraph's own SQL files are all that these read.
TRUSTED = {
    "adapters/postgres/audit.py:_FUNCTION",
    "adapters/postgres/row_security.py:_FUNCTIONS",
    "adapters/sql/database.py:_VERBATIM",
}
# Given no longer text than this, so that their time for a file is in proportion to it.
LONGEST = {
    "ingest/formats/html.py:_DECLARED": 4_096,
    "ingest/miners/headers.py:_LINK": 2_000,
    "model/path_pattern.py:_PIECE": 1_000,
}
SHORTEST = 128
STRINGS, THOROUGH_STRINGS = 60, 600
PLACES = places()


def run(expression: Expression, method: str, text: str) -> Callable[[], object]:
    """As the code calls it."""
    pattern = expression.pattern
    given: Any = text.encode("utf-8") if isinstance(pattern.pattern, bytes) else text
    match method:
        case "sub" | "subn":
            return lambda: pattern.sub(given[:0], given)
        case "finditer":
            return lambda: sum(1 for _ in pattern.finditer(given))
        case _:
            return lambda: getattr(pattern, method)(given)


def find_problem(expression: Expression, most: int) -> tuple[str, HostileString, str] | None:
    """The first hostile string, with the method and what was measured."""
    size = LONGEST.get(expression.where, SHORTEST)
    for hostile in hostile_strings(expression.pattern, most):
        for method in sorted(expression.methods):
            if problem := growth_problem(_work(expression, method, hostile), size):
                return method, hostile, problem
    return None


def _work(
    expression: Expression, method: str, hostile: HostileString
) -> Callable[[int], Callable[[], object]]:
    longest = LONGEST.get(expression.where, 10**9)
    return lambda size: _in_blocks(expression, method, hostile, size, longest)


def _in_blocks(
    expression: Expression, method: str, hostile: HostileString, size: int, longest: int
) -> Callable[[], object]:
    """A text that is longer than the code ever gives is given in parts."""
    text = hostile.of_length(size)
    parts = [text[at : at + longest] for at in range(0, len(text), longest)]
    runs = [run(expression, method, part) for part in parts]
    return lambda: [one() for one in runs]


@pytest.mark.requirement(74)
@pytest.mark.parametrize("where", sorted({*PLACES} - TRUSTED))
def test_its_time_is_linear(where: str, longer_growth: bool) -> None:
    found = expressions(where, EXAMPLES)
    assert found
    most = (THOROUGH_STRINGS if longer_growth else STRINGS) // (3 if where in LONGEST else 1)
    for expression in found:
        assert find_problem(expression, most) is None


def test_what_is_listed_is_there() -> None:
    assert {*EXAMPLES, *TRUSTED, *LONGEST} <= {*PLACES}
    assert len(PLACES) > 150


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("a+b", "search"),
        (r"\s+$", "sub"),
        ("(a|a)*b", "match"),
        ("(?:a+)+b", "fullmatch"),
        (r"x*[ab]*a*c", "match"),
        (r"<!--.*?-->", "finditer"),
        (r'"(?:[^"\\]|\\.)*"', "search"),
        (r"\w+@\w+", "findall"),
        (rb"\[[^\]]*\]\(", "search"),
        (r"(?m)^[ \t]*\n?[ \t]*x", "search"),
    ],
)
def test_a_pattern_that_tries_again_is_found(pattern: str | bytes, method: str) -> None:
    tried: re.Pattern[Any] = re.compile(pattern)
    assert find_problem(Expression("a test", tried, frozenset({method})), STRINGS)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("a+", "findall"),
        (r"(?<!\s)\s++$", "sub"),
        ("(?:ab)*+c", "match"),
        ("[^a]{1,20}a", "match"),
    ],
)
def test_a_linear_pattern_is_none(pattern: str, method: str) -> None:
    assert not find_problem(Expression("a test", re.compile(pattern), frozenset({method})), STRINGS)
