"""reStructuredText headings: titles between or above lines of punctuation."""

import re
from collections.abc import Sequence

from docgraph.ingest.parse.sections import Heading

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*$")
_ENOUGH = 4  # an underline this long counts even when its title is longer


def headings(lines: Sequence[str]) -> list[Heading]:
    """Levels come in the order in which styles of adornment first appear."""
    styles: dict[tuple[str, bool], int] = {}
    found: list[Heading] = []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    free = 0  # the first line that no earlier heading has used
    for index in range(1, len(lines)):
        over = _opening(lines, index, free)
        if over is None:
            continue
        style = (lines[index][0], over < index - 1)
        level = styles.setdefault(style, len(styles) + 1)
        title = lines[index - 1].strip()
        found.append(Heading(level, title, starts[over], min(starts[index + 1], starts[-1] - 1)))
        free = index + 1
    return found


def _opening(lines: Sequence[str], index: int, free: int) -> int | None:
    """The first line of the heading whose underline is `lines[index]`, if it is one."""
    under, title = lines[index], lines[index - 1]
    if index - 1 < free or not _underlines(under, title):
        return None
    above = lines[index - 2] if index - 2 >= free else ""
    if above.rstrip() and above.rstrip() == under.rstrip():
        return index - 2
    return index - 1 if not above.strip() and not title[0].isspace() else None


def _underlines(under: str, title: str) -> bool:
    line, words = under.rstrip(), title.rstrip()
    if not words or _ADORNMENT.match(words) or not _ADORNMENT.match(line):
        return False
    return line not in {"::", ".."} and (len(line) >= len(words.lstrip()) or len(line) >= _ENOUGH)
