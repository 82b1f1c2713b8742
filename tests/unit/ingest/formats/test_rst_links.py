"""reStructuredText names others in several ways; each has its span."""

import pytest

from tests.unit.ingest.fakes import parsed


def found(text: str) -> list[tuple[str, str, str]]:
    references = parsed("a.rst", text).links
    return [(r.style, r.target, text[r.start : r.end]) for r in references]


@pytest.mark.parametrize(
    ("text", "style", "target", "expected"),
    [
        ("See `b <b.rst>`_.", "path", "b.rst", "`b <b.rst>`_"),
        ("See `b <b.rst>`__", "path", "b.rst", "`b <b.rst>`__"),
        (":doc:`guide/intro`", "document", "guide/intro", ":doc:`guide/intro`"),
        (":doc:`Start </intro>`", "document", "/intro", ":doc:`Start </intro>`"),
        (":pep:`484`", "identifier", "PEP 484", ":pep:`484`"),
        (":rfc:`HTTP <9110#sec>`", "identifier", "RFC 9110", ":rfc:`HTTP <9110#sec>`"),
    ],
)
def test_a_link_is_found_with_its_span(text: str, style: str, target: str, expected: str) -> None:
    assert found(text) == [(style, target, expected)]


def test_a_named_target_is_a_link_where_it_is_used() -> None:
    text = "Read foo_ and `two words`_.\n\n.. _foo: f.rst\n.. _Two Words: t.rst\n.. _idle: i.rst\n"
    assert found(text) == [
        ("path", "f.rst", "foo_"),
        ("path", "t.rst", "`two words`_"),
        ("path", "i.rst", "i.rst"),
    ]


def test_a_table_of_contents_links_to_its_entries() -> None:
    text = ".. toctree::\n   :maxdepth: 2\n\n   intro\n   Use it <guide/use>\n\nafter\n"
    assert found(text) == [
        ("document", "intro", "intro"),
        ("document", "guide/use", "guide/use"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "``:pep:`484```",
        "Code::\n\n    `b <b.rst>`_\n",
        ".. code-block:: rst\n\n   :doc:`b`\n",
        ":ref:`label`",
        ".. _label:\n\nword label_x",
    ],
)
def test_literals_and_labels_are_no_links(text: str) -> None:
    assert found(text) == []


def test_a_note_is_read_like_text() -> None:
    assert found(".. note::\n\n   :doc:`b`\n") == [("document", "b", ":doc:`b`")]
