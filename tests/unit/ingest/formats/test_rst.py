"""reStructuredText: title, sections and header, without running anything."""

import pytest

from docgraph.ingest.formats.rst import mask_literals
from tests.unit.ingest.fakes import parsed

DOCUMENT = """\
=====
Guide
=====

:Supersedes: old.rst

.. note:: Not the lead.

The *lead* of :pep:`8` and ``__len__`` in `a guide <g.rst>`_::

    literal

One
---

First.

Inner
~~~~~

Two
---
"""


def test_a_lone_first_heading_is_the_title() -> None:
    found = parsed("a.rst", DOCUMENT)
    assert (found.title, found.titled) == ("Guide", True)
    assert [(p.name, p.parent) for p in found.parts] == [("one", None), ("inner", 0), ("two", None)]


def test_headings_of_one_level_leave_the_title_to_the_header_or_the_file() -> None:
    sections = "Abstract\n========\n\nWords.\n\nRationale\n=========\n"
    assert parsed("a.rst", sections).title == "a.rst"
    found = parsed("a.rst", "PEP: 8\nTitle: Style\n\n" + sections)
    assert found.title == "Style"
    assert [part.title for part in found.parts] == ["Abstract", "Rationale"]


def test_the_lead_is_prose_without_markup() -> None:
    found = parsed("a.rst", DOCUMENT)
    assert found.lead == "The lead of PEP 8 and __len__ in a guide"
    assert found.parts[0].lead == "First."
    assert found.parts[1].lead == ""


def test_fields_below_the_title_are_read() -> None:
    found = parsed("a.rst", DOCUMENT)
    assert [(f.name, f.value) for f in found.fields] == [("supersedes", "old.rst")]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a ``b`` c", "a       c"),
        ("x::\n\n  y\nz", "x::\n\n   \nz"),
        (".. code::\n\n  y\n\nz", ".. code::\n\n   \n\nz"),
        (".. note::\n\n  y", ".. note::\n\n  y"),
    ],
)
def test_literals_are_masked_character_for_character(text: str, kept: str) -> None:
    assert mask_literals(text) == kept
