"""Sections nest by level and reach to the next heading they do not enclose."""

from docgraph.ingest.formats.sections import Heading, Slugs, make_sections


def test_a_deeper_heading_is_inside() -> None:
    headings = [
        Heading(level, title, start, start)
        for level, title, start in [(3, "a", 0), (2, "b", 10), (4, "c", 20), (3, "d", 30)]
    ]
    found = make_sections(headings, 40, Slugs())
    assert [(p.name, p.start, p.end, p.parent) for p in found] == [
        ("a", 0, 10, None),
        ("b", 10, 40, None),
        ("c", 20, 30, 1),
        ("d", 30, 40, 1),
    ]
