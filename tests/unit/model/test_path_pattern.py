"""Path patterns match as in CODEOWNERS, in linear time."""

import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.path_pattern import (
    MAX_PATTERN_CHARACTERS,
    compile_pattern,
    find_pattern_problem,
    matches,
    normalise_path,
)
from tests.support.growth import LINEAR, growth

NAMES = ["a", "b", "ab", "a.md"]
WILD = ["*", "**", "?", "a*", "*.md", "[ab]", "[!a]", "*a*b*"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map("/".join)
patterns = st.builds(
    lambda start, names, end: start + "/".join(names) + end,
    st.sampled_from(["", "/"]),
    st.lists(st.sampled_from([*NAMES, *WILD]), min_size=1, max_size=5),
    st.sampled_from(["", "/"]),
)


def matches_regular_expression(pattern: str, path: str) -> bool:
    """The same rules another way, and slowly: every choice is tried."""
    names = pattern.strip("/").split("/")
    if "/" not in pattern.removesuffix("/"):
        names = ["**", *names]
    if pattern.endswith("/"):
        names = [*names, "**"]
    if names[-1] == "**":
        names[-1:] = ["**", "*"]  # what lies beneath has a name
    elif names[-1] != "*":
        names.append("**")
    said = (
        "(?:[^/]+/)*" if name == "**" else re.sub(r"\[!|[*?.]", replaced, name) + "/"
        for name in names
    )
    return re.fullmatch("".join(said), path + "/") is not None


def replaced(found: re.Match[str]) -> str:
    return {"*": "[^/]*", "?": "[^/]", ".": r"\.", "[!": "[^/"}[found[0]]


@given(patterns, paths)
def test_a_pattern_matches_as_documented(pattern: str, path: str) -> None:
    assert matches(pattern, path) == matches_regular_expression(pattern, path)


@given(patterns, paths)
def test_a_path_without_the_needle_never_matches(pattern: str, path: str) -> None:
    assert compile_pattern(pattern).needle in normalise_path(path) or not matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "hits", "misses"),
    [
        ("*", ["a.md", "docs/a.md"], []),
        ("**", ["a.md", "docs/a.md"], []),
        ("/*", ["a.md"], ["docs/a.md"]),
        ("*.md", ["a.md", "docs/a.md", "x.md/b.txt"], ["a.mdx", "md"]),
        ("docs", ["docs", "docs/a/b.md", "x/docs/a.md"], ["docs2/a.md", "mydocs/a.md"]),
        ("docs/", ["docs/a.md", "x/docs/a/b.md"], ["docs", "x/docs"]),
        ("/docs", ["docs", "docs/a/b.md"], ["x/docs/a.md"]),
        ("/docs/", ["docs/a/b.md"], ["docs", "x/docs/a.md"]),
        ("docs/*", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md", "docs"]),
        ("docs/*/", ["docs/a/b.md"], ["docs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/a/b.md"], ["docs", "x/docs/a.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md"]),
        ("apps/github", ["apps/github", "apps/github/a/b"], ["x/apps/github", "apps/githubs"]),
        ("**/logs", ["logs/a", "build/logs", "a/b/logs/c/d"], ["build/logs2"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b/c"], ["a/x", "b", "x/a/b"]),
        ("a/**/*", ["a/b", "a/b/c"], ["a", "b"]),
        ("**/x/*", ["x/a", "b/x/a"], ["x/a/b", "x"]),
        ("a?c", ["abc", "x/a-c/d"], ["ac", "abbc", "a/c"]),
        ("a/b?c", ["a/bxc"], ["a/b/c"]),
        ("[!a]/b", ["x/b"], ["a/b", "//b"]),
        ("a[+-9]b/c", ["a0b/c", "a.b/c"], ["a/b/c"]),
        ("[]x]", ["]", "x"], ["[", "[]x]"]),
        ("app/[[]slug]/", ["app/[slug]/page.tsx"], ["app/s/page.tsx"]),
        ("[*]", ["*"], ["a"]),
        (".github/", [".github/a.yml"], ["github/a.yml"]),
    ],
)
def test_patterns_are_those_of_codeowners(pattern: str, hits: list[str], misses: list[str]) -> None:
    assert find_pattern_problem(pattern) is None
    assert [path for path in hits if not matches(pattern, path)] == []
    assert [path for path in misses if matches(pattern, path)] == []


def test_case_counts() -> None:
    assert not matches("Finance/", "finance/a.md")
    assert not matches("*.MD", "a.md")


@pytest.mark.requirement(35)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("pattern", ["/Büro/", "B?ro/", "B[ü]ro", "/Büro/**/ä*"])
def test_a_path_in_another_normal_form_does_not_slip_past(
    form: Literal["NFC", "NFD"], pattern: str
) -> None:
    path = unicodedata.normalize("NFD", "Büro/Übersicht/ä.md")
    assert matches(unicodedata.normalize(form, pattern), path)
    assert matches(pattern, unicodedata.normalize(form, path))


@pytest.mark.requirement(35)
@pytest.mark.parametrize("path", ["/docs/a.md", "./docs/a.md", "docs//a.md", "x/../docs/./a.md"])
def test_a_path_written_another_way_does_not_slip_past(path: str) -> None:
    assert matches("/docs/*", path)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("/", "a segment is empty"),
        ("a//b", "a segment is empty"),
        ("!a", "a later line"),
        ("a\\*", "backslash"),
        ("./a", "hold no '.'"),
        ("a/../b", "hold no '..'"),
        ("docs**", "`**` stands alone"),
        ("a/***", "`**` stands alone"),
        ("[a", "not closed"),
        ("[]", "not closed"),
        ("[!]", "not closed"),
        ("a[/]b", "not closed"),
        ("[^a]", "`[!`"),
        ("x[z-a]", "holds nothing"),
        (" a", "blanks"),
        ("a\nb", "control"),
        ("a\u2028", "control"),
        ("\ud800", "control"),
        ("a" * (MAX_PATTERN_CHARACTERS + 1), "at most 1,000"),
    ],
)
def test_an_invalid_pattern_is_explained_and_never_matched(pattern: str, why: str) -> None:
    assert why in (find_pattern_problem(pattern) or "")
    with pytest.raises(ValueError, match=re.escape(why)):
        matches(pattern, "a")


@given(st.text(alphabet="ab*?[]!^-/.\\ü \n", max_size=12), paths)
def test_every_pattern_is_either_explained_or_matched(pattern: str, path: str) -> None:
    if find_pattern_problem(pattern) is None:
        assert matches(pattern, path) in {True, False}


@pytest.mark.parametrize(
    ("unit", "end", "path"),
    [
        ("**/a/", "b", "a/" * 18 + "c"),
        ("*a", "b", "a" * 22),
        ("*?", "b", "a" * 22),
        ("[!b]*", "b", "a" * 22),
    ],
)
def test_time_grows_with_the_pattern_and_no_faster(unit: str, end: str, path: str) -> None:
    """With backtracking it would double with every asterisk."""

    def match(times: int) -> None:
        assert not matches(unit * times + end, path)

    assert growth(match, 2) < LINEAR
