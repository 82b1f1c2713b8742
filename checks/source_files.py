"""The modules of a package: their text, their syntax trees and their lengths."""

import ast
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TESTING = "testing"  # what ships for the tests of plug-in authors is counted apart


@dataclass(frozen=True)
class SourceFile:
    """A file of the package; `path` is relative to the package."""

    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def length(self) -> int:
        return len(self.text.splitlines())

    @property
    def is_testing(self) -> bool:
        return self.path.parts[0] == TESTING


def read_files(package: Path, *suffixes: str) -> tuple[SourceFile, ...]:
    return tuple(
        SourceFile(path.relative_to(package), path.read_text(encoding="utf-8"))
        for path in sorted(package.rglob("*"))
        if path.suffix in suffixes
    )


def compute_median(files: Sequence[SourceFile]) -> int:
    return round(statistics.median(file.length for file in files))


def compute_percentile(files: Sequence[SourceFile], percent: int) -> int:
    """By nearest rank: the shortest length that at least `percent` of the files do not exceed."""
    lengths = sorted(file.length for file in files)
    return lengths[math.ceil(len(lengths) * percent / 100) - 1]


def find_duplicate_classes(
    files: Iterable[SourceFile], exempt: frozenset[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Names that more than one class has, nested and private classes too, with their positions."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ClassDef):
                positions[node.name].append(f"{file.path}:{node.lineno}")
    return {
        name: tuple(lines)
        for name, lines in sorted(positions.items())
        if len(lines) > 1 and name not in exempt
    }
