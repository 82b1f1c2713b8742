"""The span of a link is exact, in lists and quotations too."""

import pytest

from tests.unit.ingest.fakes import parsed


@pytest.mark.parametrize(
    ("text", "expected", "target"),
    [
        ("see [b](b.md) now", "[b](b.md)", "b.md"),
        ("é [b](<b c.md> 't')", "[b](<b c.md> 't')", "b%20c.md"),
        ("[b][r]\n\n[r]: ../b.md#x", "[b][r]", "../b.md#x"),
        ("[r] here\n\n[r]: b.md", "[r]", "b.md"),
        ("> - quoted [a\n>   b](b.md)", "[a\n>   b](b.md)", "b.md"),
        ("1. x\n\n   [b](b.md)", "[b](b.md)", "b.md"),
        ("[![i](i.png)](b.md)", "[![i](i.png)](b.md)", "b.md"),
        ("# [b](b.md)", "[b](b.md)", "b.md"),
    ],
)
def test_a_link_has_the_span_of_its_text(text: str, expected: str, target: str) -> None:
    (found,) = parsed("a.md", text).links
    assert (found.style, found.target) == ("path", target)
    assert text[found.start : found.end] == expected
    assert found.line == text.count("\n", 0, found.start) + 1


@pytest.mark.parametrize(
    "text", ["`[b](b.md)`", "```\n[b](b.md)\n```", "![i](b.png)", "<https://x.y>", "[b](", "[b]()"]
)
def test_code_images_and_addresses_are_no_links(text: str) -> None:
    assert parsed("a.md", text).links == ()


def test_links_come_in_document_order() -> None:
    found = parsed("a.md", "[a](a.md) [b](b.md)\n\n[c](c.md) [a](a.md)")
    assert [reference.target for reference in found.links] == ["a.md", "b.md", "c.md", "a.md"]
