"""Front matter is read as written, or left as text with a remark; access is never a mistake."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.formats.front_matter import FrontMatter, read_front_matter
from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.notebook import parse_notebook
from docgraph.ingest.parsed_file import AccessMapping, ParsedFile

UNREAD = "this line is not read as front matter"


def test_scalars_and_lists_become_fields_with_their_spans() -> None:
    text = "---\ntitle: \"A: b\"\nid: 0012\ndate: 2024-13-45\nsupersedes: [x.md, 'y']\n---\n# H\n"
    found = read_front_matter(text)
    assert [(f.name, f.value, f.line) for f in found.fields] == [
        ("title", "A: b", 2),
        ("id", "0012", 3),
        ("date", "2024-13-45", 4),
        ("supersedes", "x.md", 5),
        ("supersedes", "y", 5),
    ]
    assert all(text[f.start : f.end] == f.value for f in found.fields)
    assert text[found.end :] == "# H\n"
    assert (found.remarks, found.access) == ((), None)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("---\na: [1\n---\n", "line 3: front matter is not YAML"),
        ("---\njust words\n---\n", "line 1: front matter is not a mapping; kept as text"),
        ("---\na: \x07\n---\n", "line 1: front matter is not YAML; kept as text"),
    ],
)
def test_what_is_not_a_yaml_mapping_is_kept_as_text_and_reported(text: str, remark: str) -> None:
    found = read_front_matter(text)
    assert (found.fields, found.end, found.access) == ((), 0, None)
    assert [said.startswith(remark) for said in found.remarks] == [True]


@pytest.mark.parametrize("text", ["# H\n---\na: b\n---\n", "---\nno end", "---\n---\n", ""])
def test_a_rule_on_top_is_no_front_matter(text: str) -> None:
    assert read_front_matter(text) == FrontMatter()


def test_a_bomb_of_aliases_does_no_harm() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    found = read_front_matter("---\n" + "\n".join(lines) + "\n---\n")
    assert (found.remarks, found.access) == ((), None)
    assert [field.name for field in found.fields] == ["a0", "a0"]


def few(line: int, *readers: str, labels: tuple[str, ...] = (), level: int = 0) -> AccessMapping:
    return AccessMapping(line, frozenset(readers), frozenset(labels), level)


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("written", "access"),
    [
        ("access: finance", few(2, "finance")),
        ("access: everyone", few(2, "everyone")),
        ("title: x\naccess: [finance, board]", few(3, "finance", "board")),
        ("access:\n- finance\n- board\ntitle: x", few(2, "finance", "board")),
        ("access: []", few(2)),
        ("Access : finance", few(2, "finance")),
        ('"ACCESS": finance', few(2, "finance")),
        ("_access-: finance", few(2, "finance")),
        ("acc\u200bess: finance", few(2, "finance")),
        ("\u0430\u0441\u0441ess: finance", few(2, "finance")),
        ("  title: x\n  access:\n    readers: a\n    level: 1", few(3, "a", level=1)),
        ('{"title":"x","access":{"readers":["a"]}}', few(2, "a")),
        ("{title: x,\naccess: a}", few(3, "a")),
        ("title: a\n# why\naccess: b # c", few(4, "b")),
        ("base: &b {x: y}\n<<: *b\naccess: a", few(4, "a")),
        (
            "access:\n  readers: [a]\n\n  labels: [pii, eu]\n  level: 2\n  note: why\ntitle: x",
            few(2, "a", labels=("pii", "eu"), level=2),
        ),
    ],
)
def test_front_matter_states_who_may_read(written: str, access: AccessMapping) -> None:
    found = read_front_matter(f"---\n{written}\n---\n# H\n")
    assert (found.access, found.remarks) == (access, ())
    assert found.end > 0


def denied(text: str) -> AccessMapping:
    """What is wrong with its access, which denies everyone and is a remark."""
    found = read_front_matter(text)
    assert found.access is not None
    assert found.access == AccessMapping(found.access.line, error=found.access.error)
    remark = f"line {found.access.line}: access: {found.access.error}; nobody may read it"
    assert found.access.error
    assert remark == found.remarks[-1]
    return found.access


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("written", "line", "why"),
    [
        ("access:", 2, "`access` says nothing"),
        ("access: 7", 2, "`access` takes names"),
        ("access: [a, true]", 2, "`access` takes names"),
        ("access: ''", 2, "is empty"),
        ("access: {}", 2, "`readers` missing"),
        ("access: {labels: [pii]}", 2, "`readers` missing"),
        ("access:\n  readers: a\n  lvl: 2", 4, "no key is called 'lvl'; did you mean 'level'?"),
        ("access:\n  readers: a\n  level: high", 4, "`level` takes whole numbers"),
        ("access: {readers: a, path: b}", 2, "no key is called 'path'"),
        ("access: {readers: a, readers: everyone}", 2, "'readers' stands twice"),
        ("access: a\ntitle: x\naccess: b", 4, "stands already in line 2"),
        ("access: a\nAccess: b", 3, "stands already in line 2"),
        ("access: &x a", 2, "anchors, aliases and tags"),
        ("access: !!str a", 2, "anchors, aliases and tags"),
        ('access: "\\ud800"', 2, "half a character"),
        ("x: &x a\naccess: *x", 3, "comes by an alias or a merge"),
        ("x: &x access\n*x : a", 2, "anchors, aliases and tags"),
        ("x: &x {access: a}\n<<: *x", 3, "comes by an alias or a merge"),
        ("x: &x {<<: *x, access: a}\n<<: [*x]", 3, "comes by an alias or a merge"),
        ("<<: {access: a}", 2, "not YAML"),
    ],
)
def test_access_that_is_not_understood_denies(written: str, line: int, why: str) -> None:
    mapping = denied(f"---\n{written}\n---\n# H\n")
    assert mapping.line == line
    assert why in mapping.error


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("access:finance", 2),
        ("access = finance", 2),
        ("title: x\naccess\uff1afinance", 3),
        ("title: [x\naccess: finance", 3),
        ("title x\naccess: finance", 3),
        ("title: x\n  access: finance", 3),
        ("tags:\n- a\n  'Access' : finance", 4),
        ('title: {x\n\t"access": finance', 3),
        ("- access: finance", 2),
        ("title: x\n'access: finance", 3),
        ("title: \x07\naccess: finance", 3),
        ("\ntitle: [x\n\naccess: finance", 5),
    ],
)
def test_a_block_that_is_no_mapping_denies_if_a_line_begins_with_access(
    written: str, line: int
) -> None:
    text = f"---\n{written}\n---\n# H\n"
    assert denied(text) == AccessMapping(line, error=UNREAD)
    found = read_front_matter(text)
    assert (found.end, len(found.remarks)) == (0, 2)


@pytest.mark.requirement(35)
def test_a_quotation_mark_does_not_swallow_access() -> None:
    text = '---\ntitle: "x\naccess: finance\ntags: y"\n---\n'
    assert denied(text) == AccessMapping(3, error=UNREAD)
    other = text.replace("---\ntitle", "---\naccess: a\ntitle")
    assert denied(other) == AccessMapping(4, error=UNREAD)


LONG = "".join(f"key{n}: value\n" for n in range(6_000))


@pytest.mark.requirement(35)
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n---\naccess: a\n---\n", 3),
        ("\ufeff---\naccess: a\n---\n", 2),
        (" ---\naccess: a\n ---\n", 2),
        ("<!-- licence\n-->\n\n---\ntitle: x\naccess: a\n---\n", 6),
        ("--\naccess: a\n--\n", 2),
        ("----\nsome words\naccess: a\n----\n", 3),
        ("\u2014\naccess: a\n\u2014\n", 2),
        ("--- # front\naccess: a\n---\n", 2),
        ("---yaml\naccess: a\n---\n", 2),
        ("+++\ntitle = 'x'\naccess = 'a'\n+++\n", 3),
        ("+++\n[params]\nx = 1\n[access]\nreaders = ['a']\n+++\n", 4),
        ("---\naccess: a\n", 2),
        ("---\naccess: a", 2),
        ("---\ntitle: x\naccess: a\n\n# H\n\nWords.\n", 3),
        ("---\n# mine\ntitle: x\ntags:\n- b\n  c\n\naccess: a\n", 8),
        ("---\ntitle: x\naccess: a\n----\n", 3),
        (f"---\n{LONG}access: a\n---\n", 6_002),
        (f"---\naccess: a\n{LONG}---\n", 2),
        ("---\ntitle: x\n---\n---\naccess: a\n---\n", 5),
        ("---\naccess: a\n---\n\n---\naccess: a\n---\n", 6),
        ("---\n---\naccess: a\n---\n", 3),
        ("---\n---\n---\naccess: a\n", 4),
    ],
)
def test_a_block_that_is_not_recognised_denies_if_it_has_an_access(text: str, line: int) -> None:
    assert denied(text) == AccessMapping(line, error=UNREAD)


@pytest.mark.parametrize(
    "text",
    [
        "# H\n\nAccess: for all\n",
        "Access: for all\n---\n",
        "---\n\nSome words.\n\nAccess: for all\n",
        "---\n\nSome words.\n\nAccess: for all\n\n---\n",
        "---\n\n# H\n\n- one\n\nAccess: for all\n",
        "---\nSome words.\n\nAccess: for all\n",
        "---\n\nExample:\n\n    access: finance\n",
        "---\ntitle: x\n---\nAccess: for all\n---\n",
        "---\ntitle: x\n---\n\n---\n\nWords.\n\nAccess: for all\n\n---\n",
        "---\ntitle: x\n---\n\n```\n---\naccess: finance\n---\n```\n",
        "    ---\n    access: finance\n    ---\n",
        "```yaml\n---\naccess: finance\n---\n```\n",
        "---\nauthor:\n  access: finance\n---\n",
        "---\nabout: |\n  access: finance\n---\n",
        "---\n# access: finance\n---\n",
        "---\naccess-level: 3\naccessed: today\naccess control: none\n---\n",
        "<!-- never closed\n---\naccess: finance\n---\n",
    ],
)
def test_what_is_plainly_no_front_matter_has_no_access(text: str) -> None:
    assert read_front_matter(text).access is None


@pytest.mark.requirement(35)
@given(
    st.lists(
        st.sampled_from(
            ["title: x", "tags: [a]", "text: |", "  more", "- b", '"', "x: {", "'", ""]
        ),
        max_size=6,
    )
)
def test_access_at_the_margin_is_never_without_effect(around: list[str]) -> None:
    for place in range(len(around) + 1):
        lines = [*around[:place], "access: finance", *around[place:]]
        if lines[0]:
            found = read_front_matter("\n".join(["---", *lines, "---", ""]))
            assert found.access is not None
            assert all(name.startswith("finance") for name in found.access.readers)


@pytest.mark.requirement(35)
def test_a_document_and_a_notebook_hand_on_what_they_say() -> None:
    text = "---\ntitle: T\naccess: finance\n---\n# H\n"
    found = parse_markdown("a.md", text)
    assert (found.access, found.remarks) == (few(3, "finance"), ())
    assert parse_markdown("a.md", "# H\n").access is None
    cell = {"cell_type": "raw", "source": text}
    read = parse_notebook("a.ipynb", json.dumps({"cells": [cell]}))
    assert isinstance(read, ParsedFile)
    assert read.access == few(3, "finance")


@pytest.mark.requirement(35)
def test_a_document_tells_what_is_wrong_with_its_access() -> None:
    found = parse_markdown("a.md", "---\naccess: 7\n---\n# H\n")
    assert found.access is not None
    assert found.remarks == (f"line 2: access: {found.access.error}; nobody may read it",)
