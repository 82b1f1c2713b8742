"""Miners see sketches in order, and no text but one at a time."""

import pytest

from docgraph.ingest.mine.corpus import distance
from tests.unit.ingest.fakes import corpus

FILES = {"b.md": "# B\n\n## S\n", "a/pep-1.md": "# B\n", "c.py": "def f(): ...\n"}


def test_sketches_are_sorted_by_path() -> None:
    assert [sketch.path for sketch in corpus(FILES).sketches] == ["a/pep-1.md", "b.md", "c.py"]


def test_a_corpus_holds_its_documents_and_their_parts() -> None:
    found = corpus(FILES)
    assert all(found.holds(node) for node in ("r:b.md", "r:b.md#s", "r:c.py::f"))
    assert not any(found.holds(node) for node in ("r:b.md#t", "r:d.md", "q:b.md"))


def test_names_and_titles_may_have_several_bearers() -> None:
    found = corpus(FILES)
    assert found.by_title == {"B": ("r:a/pep-1.md", "r:b.md")}
    assert found.by_name["pep1"] == ("r:a/pep-1.md",)


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("a.py", "b.py", 0), ("a/x.py", "b.py", 1), ("a/b/x.py", "a/c/d/y.py", 3)],
)
def test_distance_counts_steps_through_folders(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps
