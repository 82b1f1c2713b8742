"""The rules of every format, with two files of this one."""

from collections.abc import Mapping
from typing import ClassVar

from docgraph_toml import TOML

from docgraph.testing.formats import FormatRules


class TestToml(FormatRules):
    format = TOML
    files: ClassVar[Mapping[str, bytes]] = {
        "pyproject.toml": b'[project]\nname = "harbour"\n\n[tool.ruff.lint]\nselect = ["E"]\n',
        "points.toml": b"rows = [\n  [1],\n  [2,]\n]\n[[point]]\nx = 1\n[[point]]\nx = 2\n",
    }

    def test_every_table_is_a_section(self) -> None:
        assert [part.title for part in self.parsed("pyproject.toml").parts] == [
            "project",
            "tool.ruff.lint",
        ]
        assert [part.name for part in self.parsed("points.toml").parts] == ["point", "point-1"]
