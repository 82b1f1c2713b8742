"""Rules of access.yaml: the last matching line applies; errors and missing lines deny."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.access_rules import MAX_PATTERNS
from docgraph.model import access_policy
from docgraph.model.access import EVERYONE, AccessRule, AccessStatement
from docgraph.model.access_policy import AccessFileRule, AccessFileRules
from docgraph.model.path_pattern import CompiledPattern, compile_pattern, matches

names = st.frozensets(st.text(min_size=1, max_size=3), max_size=3)
rules = st.builds(AccessRule, st.sampled_from(["t", "ü"]), names, names, st.integers(0, 3))
patterns = st.sampled_from(["**", "docs/", "/a.md", "*.md", "docs/*", "b", "ü"])
wrongs = st.sampled_from(["", "no key is called 'x'"])
lines = st.builds(AccessFileRule, st.integers(1, 99), patterns, rules, wrongs)
files = st.builds(
    AccessFileRules, st.lists(lines, max_size=4).map(tuple), wrongs, st.integers(0, 9)
)
paths = st.sampled_from(["a.md", "docs/a.md", "docs/b/c.txt", "b", "x/y", "u\u0308"])

ALL = AccessRule("t", frozenset({EVERYONE}))
FEW = AccessRule("t", frozenset({"finance"}), frozenset({"pii"}), 2)
NOBODY = AccessRule("t")


@pytest.mark.requirement(35)
def test_the_last_line_that_matches_applies() -> None:
    rules = AccessFileRules((AccessFileRule(1, "**", ALL), AccessFileRule(4, "finance/", FEW)))
    assert rules.statement_for("t", "a.md") == AccessStatement("access.yaml", 1, "**", ALL)
    assert rules.statement_for("t", "finance/a.md") == AccessStatement(
        "access.yaml", 4, "finance/", FEW
    )
    reversed_rules = AccessFileRules(rules.rules[::-1])
    assert reversed_rules.statement_for("t", "finance/a.md") == AccessStatement(
        "access.yaml", 1, "**", ALL
    )


@pytest.mark.requirement(35)
def test_where_no_line_matches_nobody_may_read() -> None:
    rules = AccessFileRules((AccessFileRule(1, "docs/", ALL),))
    assert rules.statement_for("t", "a.md") == AccessStatement(
        "access.yaml", 0, "no line matches", NOBODY
    )
    assert AccessFileRules(()).statement_for("t", "a.md").rule == NOBODY


@pytest.mark.requirement(35)
def test_an_invalid_line_denies_what_it_matches() -> None:
    rules = AccessFileRules(
        (AccessFileRule(1, "**", ALL), AccessFileRule(2, "docs/", ALL, "no such key"))
    )
    assert rules.statement_for("t", "docs/a.md") == AccessStatement(
        "access.yaml", 2, "no such key", NOBODY
    )
    assert rules.statement_for("t", "a.md").rule == ALL


@pytest.mark.requirement(35)
def test_a_wrong_file_denies_everything() -> None:
    rules = AccessFileRules((AccessFileRule(1, "**", ALL),), "not YAML", 7)
    assert rules.statement_for("t", "a.md") == AccessStatement("access.yaml", 7, "not YAML", NOBODY)


def test_a_line_cannot_be_made_of_a_pattern_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="a later line"):
        AccessFileRule(1, "!docs/", ALL)


@pytest.mark.requirement(35)
@given(files, paths)
def test_the_statement_is_that_of_the_last_matching_line(rules: AccessFileRules, path: str) -> None:
    statement = rules.statement_for("t", path)
    last = [line for line in rules.rules if matches(line.pattern, path)][-1:]
    if not rules.error and last and not last[0].error:
        assert statement == AccessStatement(
            "access.yaml", last[0].line, last[0].pattern, last[0].rule
        )
    else:
        assert statement.rule == NOBODY


@given(files)
def test_lines_come_back_as_they_were_stored(rules: AccessFileRules) -> None:
    text = rules.to_json()
    assert AccessFileRules.from_json(text) == rules
    assert AccessFileRules.from_json(text).to_json() == text


@given(lines)
def test_equal_lines_give_equal_text(line: AccessFileRule) -> None:
    rule = line.rule
    reversed_rules = frozenset(sorted(rule.readers, reverse=True))
    again = AccessRule(rule.tenant, reversed_rules, rule.labels, rule.level)
    one, other = (
        AccessFileRules((AccessFileRule(1, "**", each),)).to_json() for each in (rule, again)
    )
    assert one == other


STORED = json.loads(AccessFileRules((AccessFileRule(1, "**", ALL),)).to_json())


def changed(**rule: object) -> str:
    rules = json.loads(json.dumps(STORED))
    rules["rules"][0]["rule"] |= rule
    return json.dumps(rules, separators=(",", ":"), sort_keys=True)


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps(STORED),  # with blanks
        changed(level="1"),
        changed(level=True),
        changed(level=1.0),
        changed(level=-1),
        changed(readers="everyone"),
        changed(readers=["everyone", "everyone"]),
        changed(readers=[1]),
        changed(labels=None),
        changed(more=1),
        changed().replace("**", "!x"),
        changed().replace('"line":1', '"line":"1"'),
    ],
)
def test_stored_text_that_was_changed_denies_everything(text: str) -> None:
    rules = AccessFileRules.from_json(text)
    assert rules.statement_for("t", "a.md").rule == NOBODY
    assert "ingest again" in rules.error
    assert AccessFileRules.from_json(changed()).statement_for("t", "a.md").rule == ALL


def test_a_pattern_is_compiled_once_for_all_paths() -> None:
    rules = AccessFileRules((AccessFileRule(1, "**", ALL), AccessFileRule(2, "docs/", FEW)))
    compile_pattern.cache_clear()
    assert AccessFileRules.from_json(rules.to_json()) == rules
    assert compile_pattern.cache_info().misses == 0
    assert [rules.statement_for("t", path).line for path in ("docs/a", "b", "docs/c")] == [2, 1, 2]
    assert compile_pattern.cache_info().misses == 2


def test_all_patterns_of_the_largest_file_stay_cached() -> None:
    most = compile_pattern.cache_info().maxsize
    assert most is not None
    assert most > MAX_PATTERNS


def test_a_lookup_changes_nothing_of_the_rules() -> None:
    one, other = (AccessFileRules((AccessFileRule(1, "**", ALL),)) for _ in range(2))
    before = (repr(one), one.to_json(), hash(one))
    one.statement_for("t", "a.md")
    assert (repr(one), one.to_json(), hash(one)) == before
    assert one == other
    assert replace(one, rules=()).statement_for("t", "a.md").rule == NOBODY


def test_only_lines_whose_longest_literal_is_in_the_path_are_matched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forms = ("team{}/docs/", "*.ext{}", "**/part{}/**/x*.md", "name{}", "a{}/*/b/*.txt")
    some = [AccessFileRule(n + 2, forms[n % 5].format(n), FEW) for n in range(49)]
    rules = AccessFileRules((AccessFileRule(1, "**", ALL), *some))
    matched: list[str] = []

    def counted(pattern: str) -> CompiledPattern:
        compiled = compile_pattern(pattern)

        def match(path: str) -> object | None:
            matched.append(pattern)
            return compiled.match(path)

        return replace(compiled, match=match)

    monkeypatch.setattr(access_policy, "compile_pattern", counted)
    for number in range(100):
        assert rules.statement_for("t", f"project{number}/src/deep/file{number}.md").line == 1
    assert matched == ["**"] * 100
