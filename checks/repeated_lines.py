"""Runs of equal consecutive lines that stand in two positions.

Lines are compared without their indentation. Blank lines, comments, imports and lines of
punctuation alone are passed over, so that a run may stretch across them. One repeated run is a pair
of positions, in one file or in two, from which at least six lines are equal; it is as long as it
can be, so a longer repetition is still one. A run that stands in three positions is three pairs.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from pathlib import Path

from checks.source_files import SourceFile

SHORTEST = 6
_COMMENTS = {".py": "#", ".sql": "--"}
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    first: str
    second: str
    length: int

    def __str__(self) -> str:
        return f"{self.length} lines: {self.first} and {self.second}"


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a file that are compared, with their numbers."""

    path: Path
    numbers: tuple[int, ...]
    texts: tuple[str, ...]

    def at(self, index: int) -> str:
        return f"{self.path}:{self.numbers[index]}"


def find_repeated_runs(files: Sequence[SourceFile]) -> tuple[RepeatedRun, ...]:
    return tuple(
        sorted(_find_runs([_read_lines(file) for file in files]), key=lambda run: -run.length)
    )


def _read_lines(file: SourceFile) -> _Lines:
    comment, imports = _COMMENTS[file.path.suffix], _import_lines(file)
    compared = [
        (number, line.strip())
        for number, line in enumerate(file.text.splitlines(), start=1)
        if number not in imports and _WORD.search(line) and not line.lstrip().startswith(comment)
    ]
    return _Lines(file.path, tuple(n for n, _ in compared), tuple(text for _, text in compared))


def _import_lines(file: SourceFile) -> frozenset[int]:
    if file.path.suffix != ".py":
        return frozenset()
    return frozenset(
        number
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _find_runs(files: Sequence[_Lines]) -> Iterator[RepeatedRun]:
    windows: defaultdict[tuple[str, ...], list[tuple[_Lines, int]]] = defaultdict(list)
    for lines in files:
        for start in range(len(lines.texts) - SHORTEST + 1):
            windows[lines.texts[start : start + SHORTEST]].append((lines, start))
    for positions in windows.values():
        for (one, i), (other, j) in combinations(positions, 2):
            if i and j and one.texts[i - 1] == other.texts[j - 1]:
                continue  # part of the run that began a line earlier
            yield RepeatedRun(one.at(i), other.at(j), _count_equal(one.texts[i:], other.texts[j:]))


def _count_equal(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
