"""Every chunk is in exactly one node, and together they cover all text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.build_document import build_nodes
from docgraph.ingest.chunking import informative_regions, split_chunks, split_regions
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.document import Chunk
from tests.unit.ingest.fakes import parsed

MARKDOWN = """\
---
status: draft
---
# Title

Lead.

## One

First.

### Inner

Deep.

## Two

Second.
"""


def cut(path: str, found: ParsedFile, size: int = 800) -> tuple[Chunk, ...]:
    root, *parts = (node.id for node in build_nodes("r", path, found))
    return split_chunks(path, found, root, parts, size)


@pytest.mark.requirement(6)
def test_a_chunk_has_one_node_a_heading_path_and_lines() -> None:
    found = cut("a.md", parsed("a.md", MARKDOWN))
    assert [(c.node, c.heading_path, c.location.cite()) for c in found] == [
        ("r:a.md", (), "a.md:1-3"),
        ("r:a.md", (), "a.md:4-6"),
        ("r:a.md#one", ("One",), "a.md:8-10"),
        ("r:a.md#inner", ("One", "Inner"), "a.md:12-14"),
        ("r:a.md#two", ("Two",), "a.md:16-18"),
    ]


def test_positions_count_within_the_document_and_make_the_id() -> None:
    found = cut("a.md", parsed("a.md", MARKDOWN))
    assert [c.position for c in found] == [0, 1, 2, 3, 4]
    assert found[3].id == "r:a.md#inner@3"


def test_code_between_methods_belongs_to_the_class() -> None:
    text = 'class A:\n    """Doc."""\n    def f(self):\n        pass\n    x = 1\ny = 2\n'
    found = cut("a.py", parsed("a.py", text))
    assert [(c.node, c.text) for c in found] == [
        ("r:a.py::A", 'class A:\n    """Doc."""'),
        ("r:a.py::A.f", "def f(self):\n        pass"),
        ("r:a.py::A", "x = 1"),
        ("r:a.py", "y = 2"),
    ]


@given(
    st.sampled_from(["a.md", "a.rst", "a.txt", "a.py"]),
    st.lists(
        st.sampled_from(["# a\n", "b\n=\n", "word ", "\n\n", "def f():\n", " ", "é😀" * 30]),
        max_size=60,
    ),
    st.integers(min_value=10, max_value=60),
)
def test_chunks_contain_every_visible_character_of_informative_regions_once(
    path: str, pieces: list[str], size: int
) -> None:
    found = parsed(path, "".join(pieces))
    joined = ""
    for chunk in cut(path, found, size):
        start, end = chunk.location.start, chunk.location.end
        assert chunk.text.strip()
        assert len(chunk.text) <= size
        assert found.text[start:end] == chunk.text
        joined += chunk.text
    regions = "".join(found.text[begin:end] for _, begin, end in informative_regions(found))
    assert "".join(joined.split()) == "".join(regions.split())


def test_a_long_text_without_lines_is_cut_in_reasonable_time() -> None:
    found = cut("a.txt", parsed("a.txt", "日本語" * 20_000))
    assert "".join(chunk.text for chunk in found) == "日本語" * 20_000


def test_no_region_crosses_the_end_of_front_matter() -> None:
    found = parsed("a.md", MARKDOWN)
    border = found.borders[0]
    assert [owner for owner, _, _ in split_regions(found)] == [None, None, 0, 1, 2]
    assert all(end <= border or start >= border for _, start, end in split_regions(found))


def test_a_heading_alone_is_no_chunk_where_there_is_more_text() -> None:
    text = "# Guide\n\n## Empty\n\n## Full\n\nWords.\n"
    made = cut("g.md", parsed("g.md", text))
    assert [chunk.heading_path for chunk in made] == [("Full",)]
    assert made[0].text.endswith("Words.")


def test_a_document_of_headings_alone_keeps_them() -> None:
    made = cut("g.md", parsed("g.md", "# Guide\n\n## Empty\n"))
    assert [chunk.text for chunk in made] == ["# Guide", "## Empty"]


def test_a_chunk_has_the_lines_and_the_page_of_where_it_starts() -> None:
    text = "one\n\ntwo\n\nthree"
    found = ParsedFile(
        *("document", "T", True, text),
        borders=(10,),
        pages=(0, 0, 5),
        source_lines=((0, 4), (5, 8)),
    )
    made = split_chunks("a.pdf", found, "r:a", [], 5)
    assert [(c.text, c.location.first_line, c.location.page) for c in made] == [
        ("one", 4, 2),
        ("two", 8, 3),
        ("three", 8, 3),
    ]


def test_borders_cut_in_any_order_and_only_the_region_around_them() -> None:
    found = ParsedFile("document", "T", True, "abcdef", borders=(4, 0, 2, 6, 2))
    assert list(split_regions(found)) == [(None, 0, 2), (None, 2, 4), (None, 4, 6)]
