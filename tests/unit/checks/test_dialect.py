"""Words of the list are counted as whole words, as parts of identifiers and as phrases."""

from collections import Counter
from pathlib import Path

import pytest

from checks.dialect import Dialect, count_dialect, read_entries, sum_counts

ENTRIES = ("gizmo", "gizmo_box", "Widget", "NotWidget", "on the side")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("gizmo = Gizmo(GIZMO)", {"gizmo": 3}),
        ("def read_gizmo_rows(): _gizmo", {"gizmo": 2}),
        ("gizmos = agizmo", {}),
        ("gizmo_box", {"gizmo_box": 1}),
        ("Widget, _Widget, widget, WidgetRow", {"Widget": 2}),
        ("put on\nthe side, On the side", {"on the side": 2}),
    ],
)
def test_an_entry_counts_as_a_whole_word(text: str, counts: dict[str, int]) -> None:
    assert Dialect(ENTRIES).count(text) == counts


def test_a_list_has_comments_and_each_entry_once() -> None:
    assert read_entries("# a list\ngizmo\n\nWidget  # a class\ngizmo\n") == ("gizmo", "Widget")


def test_code_and_documents_are_counted_and_a_frozen_corpus_is_not(tmp_path: Path) -> None:
    texts = {
        "src/a.py": "gizmo",
        "tests/a.sql": "-- gizmo",
        "tests/golden/corpus/a.py": "gizmo",
        "tests/page.md": "gizmo",
        "docs/adr/a.md": "A gizmo. Widget of NotWidget.",
        "README.md": "gizmo",
        "src/b.py": "Widget",
        "src/none.py": "plain",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    by_file = count_dialect(tmp_path, ENTRIES)
    assert {str(path) for path in by_file} == {
        *("README.md", "docs/adr/a.md", "src/a.py", "src/b.py", "tests/a.sql")
    }
    # A word with a capital may begin a sentence of a document.
    assert sum_counts(by_file) == Counter({"gizmo": 4, "Widget": 1, "NotWidget": 1})
