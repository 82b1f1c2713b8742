"""Markdown: what is a heading, what is the title, and what the document says of itself."""

import pytest

from tests.unit.ingest.fakes import parsed


def test_headings_of_both_kinds_are_sections_and_code_is_none() -> None:
    text = "# T\n\n## One\n\n```\n## not\n```\n\n    ## nor this\n\nTwo\n---\n\n> ## quoted\n"
    found = parsed("a.md", text)
    assert [part.title for part in found.parts] == ["One", "Two"]


@pytest.mark.parametrize(
    ("text", "title", "sections"),
    [
        ("# First\n\n# Second\n", "First", ["Second"]),
        ("intro\n\n# First\n", "First", []),
        ("## Before\n\n# First\n", "First", ["Before", "First"]),
        ("---\ntitle: Front\n---\n# First\n", "Front", []),
        ("words", "a.md", []),
        ("# `code` and *emphasis* [link](x.md)\n", "code and emphasis link", []),
    ],
)
def test_the_h1_that_opens_a_document_is_its_title_and_no_section(
    text: str, title: str, sections: list[str]
) -> None:
    found = parsed("a.md", text)
    assert (found.title, [part.title for part in found.parts]) == (title, sections)


def test_an_anchor_equal_to_the_titles_is_counted_as_on_github() -> None:
    found = parsed("a.md", "# Use\n\n## Use\n")
    assert [part.name for part in found.parts] == ["use-1"]


def test_the_lead_is_the_first_paragraph_with_words() -> None:
    text = (
        "# T\n\n[![badge](b.svg)](x)\n\n- item\n\nReal *lead*\nhere.\n\n## S\n\n![i](i)\n\nLead.\n"
    )
    found = parsed("a.md", text)
    assert found.lead == "Real lead here."
    assert found.parts[0].lead == "Lead."


def test_a_status_section_and_fields_above_the_sections_are_fields() -> None:
    text = "# 5. T\n\n* Status: old\n\n## Status\n\nSuperceded by [6](6.md)\n\n## Other\n\nA: b\n"
    found = parsed("a.md", text)
    assert [(f.name, f.value, f.line) for f in found.fields] == [
        ("status", "old", 3),
        ("status", "Superceded by [6](6.md)", 7),
    ]


def test_broken_front_matter_is_text_with_a_remark() -> None:
    found = parsed("a.md", "---\na: [\n---\n\nwords\n")
    assert found.remarks[0].startswith("line 3: front matter is not YAML")
    assert found.borders == ()


@pytest.mark.requirement(74)
def test_lines_that_may_always_begin_a_block_are_read_as_text_with_a_remark() -> None:
    lazy = "".join(f"[a{number}]: b\n[a{number}]\n> > " for number in range(500))
    found = parsed("a.md", f"---\ntitle: T\n---\n# H\n\n{lazy}")
    why = "too many lines may begin another block; read as text, without sections"
    assert found.remarks == (why,)
    assert (found.title, found.parts, found.links) == ("T", (), ())
    assert found.text.endswith(lazy)


def test_deep_quotations_are_read() -> None:
    found = parsed("a.md", "# T\n\n" + ("> " * 19 + "a\n" + "b\n" * 5 + "\n") * 50 + "## S\n")
    assert (found.remarks, len(found.parts)) == ((), 1)
