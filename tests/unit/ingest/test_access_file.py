"""access.yaml: last match wins, and what is not understood denies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.access_rules import (
    MAX_FILE_BYTES,
    MAX_PATTERNS,
    front_matter_statement,
    parse_access_file,
)
from docgraph.ingest.parsed_file import AccessMapping
from docgraph.model.access import EVERYONE, AccessRule, AccessStatement, Principal
from docgraph.model.access_policy import AccessFileRule, AccessFileRules
from docgraph.ports.source import SourceProblem
from tests.support.growth import LINEAR, growth

ALL = AccessRule("t", frozenset({EVERYONE}))
NOBODY = AccessRule("t")
OPEN = '- {path: "**", readers: [everyone]}\n'
SHUT = "; so nobody may read anything"


def read(text: str) -> tuple[AccessFileRules, tuple[SourceProblem, ...]]:
    return parse_access_file(text.encode(), "t")


def refused(entry: str) -> tuple[AccessFileRules, str, str]:
    """The one problem of an entry between two that let everyone in, or would."""
    rules, (problem,) = read(OPEN + entry + "- {path: open/, readers: everyone}\n")
    return rules, problem.path, problem.reason


@pytest.mark.requirement(35)
def test_entries_become_lines_with_their_rules() -> None:
    rules, problems = read(
        '# who\n- {path: "**", readers: [everyone]}\n'
        "- path: finance/\n"
        "  readers: [finance, board]\n"
        "  labels: [pii]\n"
        "  level: 2\n"
        "  note: salaries\n"
    )
    few = AccessRule("t", frozenset({"finance", "board"}), frozenset({"pii"}), 2)
    assert rules == AccessFileRules(
        (AccessFileRule(2, "**", ALL), AccessFileRule(3, "finance/", few))
    )
    assert problems == ()


@pytest.mark.requirement(35)
def test_one_name_needs_no_list_and_several_paths_may_share_a_rule() -> None:
    rules, problems = read("- readers: everyone\n  labels: eu\n  path:\n    - docs/\n    - a.md\n")
    rule = AccessRule("t", frozenset({EVERYONE}), frozenset({"eu"}))
    assert rules.rules == (AccessFileRule(4, "docs/", rule), AccessFileRule(5, "a.md", rule))
    assert problems == ()


@pytest.mark.requirement(35)
def test_an_empty_list_of_readers_is_nobody_and_no_mistake() -> None:
    rules, problems = read(OPEN + "- {path: secret/, readers: []}\n")
    assert rules.statement_for("t", "secret/a.md") == AccessStatement(
        "access.yaml", 2, "secret/", NOBODY
    )
    assert problems == ()


@pytest.mark.requirement(35)
@pytest.mark.parametrize("text", ["", "# nothing\n", "[]\n", "---\n"])
def test_a_file_without_entries_lets_nobody_in_and_says_so(text: str) -> None:
    rules, (problem,) = read(text)
    assert rules == AccessFileRules(())
    assert rules.statement_for("t", "a.md").rule == NOBODY
    assert problem.path == "access.yaml"
    assert problem.reason.startswith("no entries, so nobody may read anything; ")


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("keys", "line", "why"),
    [
        ("labels: [pii]", 2, "`readers` missing; for nobody, write `readers: []`"),
        ("readers: ", 3, "`readers` says nothing; for none, write `readers: []`"),
        ("readers: [yes]", 3, "`readers` takes names"),
        ("readers: [[a]]", 3, "`readers` takes names"),
        ("readers: {a: b}", 3, "`readers` takes names"),
        ("readers: [7]", 3, "`readers` takes names"),
        ("readers: ['']", 3, "`readers`: '' is empty"),
        ("readers: [' everyone']", 3, "has blanks around it"),
        ('readers: ["every\\none"]', 3, "control characters"),
        ('readers: ["\\x7f"]', 3, "control characters"),
        ("readers: a\n  labels: ", 4, "`labels` says nothing"),
        ("readers: a\n  labels: [1]", 4, "`labels` takes names"),
        ("readers: a\n  level: true", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 1.0", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: '1'", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: -1", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 2147483648", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: ", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 010", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 00", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 0x10", 4, "`level` takes whole numbers"),
        (f"readers: a\n  level: 0x{'f' * 9_000}", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 1:30", 4, "`level` takes whole numbers"),
        ("readers: a\n  level: 1_0", 4, "`level` takes whole numbers"),
        ("readers: '*'", 3, "`readers`: '*' is no name; for all of the tenant, write `everyone`"),
        ("readers: [b, '**']", 3, "for all of the tenant, write `everyone`"),
        ("readers: [Everyone]", 3, "`readers`: 'Everyone' is no name"),
        ("readers: EVERYONE", 3, "for all of the tenant, write `everyone`"),
        ("readers: a\n  note: {level: 3}", 4, "`note` takes text"),
        ("reader: a", 3, "no key is called 'reader'; did you mean 'readers'?"),
        ("readers: a\n  '': b", 4, "no key is called ''"),
        ("readers: a\n  Level: 3", 4, "no key is called 'Level'"),
        ("readers: a\n  tenant: u", 4, "no key is called 'tenant'; known: path, readers, labels"),
    ],
)
def test_a_bad_entry_denies_what_its_path_matches_and_nothing_else(
    keys: str, line: int, why: str
) -> None:
    rules, position, reason = refused(f"- path: docs/\n  {keys}\n")
    assert position == f"access.yaml:{line}"
    assert why in reason
    assert reason.endswith("; so nobody may read what matches 'docs/'")
    statement = rules.statement_for("t", "docs/a.md")
    assert (statement.line, statement.rule) == (line, NOBODY)
    assert why in statement.text
    assert (
        rules.statement_for("t", "a.md").rule == rules.statement_for("t", "open/a.md").rule == ALL
    )


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("entry", "line", "why"),
    [
        ("- readers: [a]\n", 2, "no path; an entry looks like"),
        ("- docs/\n", 2, "no path"),
        ("-\n", 2, "no path"),
        ("- []\n", 2, "no path"),
        ("- {path: , readers: a}\n", 2, "`path` takes patterns"),
        ("- {path: 7, readers: a}\n", 2, "`path` takes patterns"),
        ("- {path: [], readers: a}\n", 2, "`path` names nothing"),
        ("- {path: [[a]], readers: a}\n", 2, "`path` takes patterns"),
        ("- {path: {a: b}, readers: a}\n", 2, "`path` takes patterns"),
        ("- {path: '', readers: a}\n", 2, "`path`: the pattern is empty"),
        ("- {path: '!docs', readers: a}\n", 2, "a later line does"),
        ("- {path: ../docs, readers: a}\n", 2, "hold no '..'"),
        ("- readers: a\n  path:\n  - docs/\n  - a\\b\n", 5, "backslash"),
        ("- {path: a, readers: b, readers: everyone}\n", 2, "'readers' stands twice"),
        ("- {path: a, path: b, readers: c}\n", 2, "'path' stands twice"),
        ("- {path: &x a, readers: *x}\n", 2, "anchors, aliases and tags"),
        ("- {path: a, readers: !!str b}\n", 2, "anchors, aliases and tags"),
        ("- path: **\n  readers: a\n", 2, "a pattern that begins with `*` stands in quotes"),
        ("- path: a\n readers: b\n", 3, "not YAML"),
        ("---\n" + OPEN, 2, "not YAML"),
        ("- " + "[" * 40 + "]" * 40 + "\n", 2, "nested too deeply"),
    ],
)
def test_what_has_no_readable_path_denies_everything(entry: str, line: int, why: str) -> None:
    rules, position, reason = refused(entry)
    assert position == f"access.yaml:{line}"
    assert why in reason
    assert reason.endswith(SHUT)
    statement = rules.statement_for("t", "open/a.md")
    assert (statement.source, statement.line, statement.rule) == ("access.yaml", line, NOBODY)
    assert why in statement.text


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"path: docs/\nreaders: [everyone]\n", "not a list"),
        (b"everyone\n", "not a list"),
        (b"- \xff\n", "not UTF-8"),
        (OPEN.encode("utf-16"), "not UTF-8"),
        (b"- \x00\n", "not YAML"),
        (OPEN.encode() + b"#" * MAX_FILE_BYTES, "takes at most 250,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_denies_everything(data: bytes, why: str) -> None:
    rules, (problem,) = parse_access_file(data, "t")
    assert (problem.path, problem.reason.endswith(SHUT)) == ("access.yaml:1", True)
    assert why in problem.reason
    statement = rules.statement_for("t", "a.md")
    assert (statement.line, statement.rule) == (1, NOBODY)
    assert why in statement.text


def test_every_mistake_is_reported_and_the_first_without_a_path_decides() -> None:
    rules, problems = read("- {path: a, reader: b}\n- {path: '!b'}\n- c\n")
    assert [problem.path for problem in problems] == [f"access.yaml:{n}" for n in (1, 2, 3)]
    assert rules.error_line == 2


def test_a_byte_order_mark_is_no_mistake() -> None:
    rules, problems = read("\ufeff" + OPEN)
    assert rules.rules == (AccessFileRule(1, "**", ALL),)
    assert problems == ()


word = st.sampled_from(["path", "readers", "labels", "level", "everyone", "a", "2", "[]", "**"])
marks = st.sampled_from(["- ", "  ", ": ", ", ", "{", "}", "[", "]", "\n", '"', "#", "*", "\t"])
reader = Principal("p", "t", frozenset({"a"}), frozenset(), 2)


@pytest.mark.requirement(35)
@given(st.lists(word | marks, max_size=25).map("".join) | st.text(max_size=30))
def test_whatever_is_written_only_sound_entries_let_anyone_in(text: str) -> None:
    rules, problems = read(text)
    assert AccessFileRules.from_json(rules.to_json()) == rules
    if any(problem.reason.endswith(SHUT) for problem in problems):
        assert not reader.may_read(rules.statement_for("t", "a").rule)
    assert reader.may_read(read(OPEN)[0].statement_for("t", "a").rule)


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    "text",
    [
        OPEN + "- {path: a/, readers: b}\n" * MAX_PATTERNS,
        OPEN + f"- {{readers: b, path: [{'a/, ' * MAX_PATTERNS}]}}\n",
        OPEN + "- {}\n" * MAX_PATTERNS,
    ],
)
def test_too_many_patterns_deny_everything(text: str) -> None:
    rules, (problem,) = read(text)
    why = "takes at most 2,000 patterns, this has 2,001"
    assert problem.reason == why + SHUT
    assert rules == AccessFileRules((), why, int(problem.path.rpartition(":")[2]))
    assert rules.statement_for("t", "a.md").rule == NOBODY


@pytest.mark.requirement(35)
def test_as_many_patterns_as_may_be_are_taken() -> None:
    rules, problems = read(OPEN + f"- {{readers: b, path: [{'a/, ' * (MAX_PATTERNS - 1)}]}}\n")
    assert (len(rules.rules), problems) == (MAX_PATTERNS, ())


def test_a_label_may_be_called_anything() -> None:
    rules, problems = read("- {path: a, readers: b, labels: ['*', Everyone]}\n")
    assert (rules.rules[0].rule.labels, problems) == (frozenset({"*", "Everyone"}), ())


def test_time_grows_with_the_entries_and_no_faster() -> None:
    def look(entries: int) -> None:
        lines = (f"- {{path: docs/{n}/, readers: [a, b]}}\n" for n in range(entries))
        rules, problems = read("".join(lines))
        assert (len(rules.rules), problems) == (entries, ())

    assert growth(look, 100) < LINEAR


def test_a_file_of_brackets_is_refused_and_takes_no_more_time_than_its_length() -> None:
    def look(brackets: int) -> None:
        assert read("[" * brackets)[0].error == "nested too deeply"

    assert growth(look, 1_000) < LINEAR
    look(MAX_FILE_BYTES)


@pytest.mark.requirement(35)
def test_a_documents_front_matter_is_a_statement_with_its_line() -> None:
    access = AccessMapping(3, frozenset({"finance"}), frozenset({"pii"}), 2)
    rule = AccessRule("t", frozenset({"finance"}), frozenset({"pii"}), 2)
    assert front_matter_statement("t", access) == AccessStatement("front matter", 3, "access", rule)


@pytest.mark.requirement(35)
def test_a_documents_own_words_deny_where_they_are_wrong() -> None:
    access = AccessMapping(3, frozenset({EVERYONE}), error="`readers` missing")
    assert front_matter_statement("t", access) == AccessStatement(
        "front matter", 3, "`readers` missing", NOBODY
    )
