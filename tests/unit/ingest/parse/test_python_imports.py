"""Import statements name modules, and things inside modules."""

import pytest

from tests.unit.ingest.fakes import parsed


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("import a.b as c, d", [("import", "a.b"), ("import", "d")]),
        ("from a.b import c as d", [("import", "a.b"), ("import-name", "a.b:c")]),
        ("from . import x", [("import", "."), ("import-name", ".:x")]),
        (
            "from ..a import (x,\n  y)",
            [("import", "..a")] + [("import-name", f"..a:{n}") for n in "xy"],
        ),
        ("from a import *", [("import", "a")]),
        ("from __future__ import annotations", []),
        ("def f():\n    import a", [("import", "a")]),
        ("'import a'  # import b", []),
    ],
)
def test_an_import_names_modules_and_names(text: str, references: list[tuple[str, str]]) -> None:
    found = parsed("m.py", text).references
    assert [(r.style, r.target) for r in found] == references


def test_each_name_has_its_own_place() -> None:
    text = "é = 1\nfrom a.b import (c,\n    d)\n"
    found = parsed("m.py", text).references
    assert [text[r.start : r.end] for r in found] == ["a.b", "c", "d"]
    assert [r.line for r in found] == [2, 2, 3]
