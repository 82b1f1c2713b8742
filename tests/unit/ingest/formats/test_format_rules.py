"""The suite for authors of formats: docgraph's own formats keep it, and it finds what is wrong."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import ClassVar

import pytest

from docgraph.ingest.formats.registry import HTML, MARKDOWN, PYTHON, RST, Format
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ports.source import SourceProblem
from docgraph.testing.formats import FormatRules


class TestMarkdown(FormatRules):
    format = MARKDOWN
    files: ClassVar[Mapping[str, bytes]] = {
        "a.md": b"# One\n\nText.\n\n## Two\n\nMore.\n\n## Two\n"
    }


class TestHtml(FormatRules):
    format = HTML
    files: ClassVar[Mapping[str, bytes]] = {"a.html": b"<h1>One</h1><p>Text.<h2>Two</h2><p>More."}


class TestRst(FormatRules):
    format = RST
    files: ClassVar[Mapping[str, bytes]] = {"a.rst": b"One\n===\n\nText.\n\nTwo\n---\n\nMore.\n"}


class TestPython(FormatRules):
    format = PYTHON
    files: ClassVar[Mapping[str, bytes]] = {"a.py": b"class A:\n    def b(self):\n        pass\n"}


_calls = count()


def altered(change: Callable[[ParsedFile], ParsedFile]) -> Format:
    def read(path: str, data: bytes) -> ParsedFile | SourceProblem:
        parsed = MARKDOWN.read(path, data)
        return change(parsed) if isinstance(parsed, ParsedFile) else parsed

    return replace(MARKDOWN, read=read)


def _fail_on_nothing(path: str, data: bytes) -> ParsedFile | SourceProblem:
    return MARKDOWN.read(path, bytes([*data, data[0]])[:-1])


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (replace(MARKDOWN, name="own"), "test_it_is_found_by_its_entry_point"),
        (replace(MARKDOWN, name="text"), "test_it_takes_no_shipped_name_and_no_shipped_suffix"),
        (replace(MARKDOWN, suffixes=(".rst",)), "test_a_file_with_its_suffix_is_read_by_it"),
        (replace(MARKDOWN, suffixes=("md",)), "test_a_suffix_has_a_dot_and_no_capitals"),
        (replace(MARKDOWN, suffixes=(".MD",)), "test_a_suffix_has_a_dot_and_no_capitals"),
        (replace(MARKDOWN, suffixes=()), "test_a_suffix_has_a_dot_and_no_capitals"),
        (altered(lambda one: replace(one, title=" ")), "test_an_example_has_a_title_and_text"),
        (altered(lambda one: replace(one, text="")), "test_an_example_has_a_title_and_text"),
        (
            altered(lambda one: replace(one, lead=str(next(_calls)))),
            "test_reading_twice_gives_the_same",
        ),
        (
            altered(lambda one: replace(one, parts=one.parts[::-1])),
            "test_parts_are_in_order_and_within_the_text_and_their_parents",
        ),
        (
            altered(lambda one: replace(one, text=one.text[:5])),
            "test_parts_are_in_order_and_within_the_text_and_their_parents",
        ),
        (
            altered(lambda one: replace(one, parts=(*one.parts, one.parts[-1]))),
            "test_parts_have_names_of_their_own",
        ),
        (replace(MARKDOWN, read=_fail_on_nothing), "test_half_a_file_is_read_or_a_problem"),
    ],
)
def test_a_broken_format_does_not_pass(broken: Format, rule: str) -> None:
    class Suite(FormatRules):
        format = broken
        files = TestMarkdown.files

    with pytest.raises((AssertionError, IndexError)):
        getattr(Suite(), rule)()
