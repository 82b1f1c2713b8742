"""Header fields are found where documents put them, with their spans."""

from docgraph.ingest.formats.text import read_field_list, read_header_block, read_marked_fields
from docgraph.ingest.parsed_file import HeaderField
from docgraph.ingest.source_text import Lines

PEP = """\
PEP: 484
Title: Type Hints
Author: Guido,
        Jukka
Post-History:
Requires: 3107, 526

Abstract
"""
RFC = """\


Internet Engineering Task Force (IETF)                  R. Fielding, Ed.
Request for Comments: 9110                                         Adobe
Obsoletes: 2818, 7230,                                            Fastly
           7538                                          J. Reschke, Ed.

   HTTP Semantics
"""


def names_and_values(fields: tuple[HeaderField, ...], text: str) -> list[tuple[str, str]]:
    assert all(text[field.start : field.end] == field.value for field in fields)
    return [(field.name, field.value) for field in fields]


def test_a_peps_header_is_read_with_its_continued_lines() -> None:
    fields, end = read_header_block(PEP, Lines(PEP))
    assert names_and_values(fields, PEP) == [
        ("pep", "484"),
        ("title", "Type Hints"),
        ("author", "Guido,"),
        ("author", "Jukka"),
        ("requires", "3107, 526"),
    ]
    assert PEP[end:].startswith("\n\nAbstract")


def test_an_rfcs_second_column_is_not_read() -> None:
    fields, _ = read_header_block(RFC, Lines(RFC))
    assert names_and_values(fields, RFC) == [
        ("request_for_comments", "9110"),
        ("obsoletes", "2818, 7230,"),
        ("obsoletes", "7538"),
    ]
    assert [field.line for field in fields] == [4, 5, 6]


def test_prose_and_code_are_no_header() -> None:
    for text in (
        "Note: this.\nIt goes on: well.\nAnd on.\n",
        "class A:\n    x: int = 1\n    y: 2\n",
    ):
        assert read_header_block(text, Lines(text)) == ((), 0)


def test_decision_records_write_fields_as_list_items_or_bold() -> None:
    text = "* Status: accepted\n- **Supersedes:** ADR-3\n**Date**: today\nplain text\n"
    assert names_and_values(read_marked_fields(text, 0, len(text), Lines(text)), text) == [
        ("status", "accepted"),
        ("supersedes", "ADR-3"),
        ("date", "today"),
    ]


def test_a_field_list_of_restructured_text_is_read() -> None:
    text = ":Supersedes: a.rst,\n   b.rst\n:orphan:\n:See also: c\n"
    assert names_and_values(read_field_list(text, 0, len(text), Lines(text)), text) == [
        ("supersedes", "a.rst,"),
        ("supersedes", "b.rst"),
        ("see_also", "c"),
    ]
