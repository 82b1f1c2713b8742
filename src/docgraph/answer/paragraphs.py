"""Paragraphs of an answer written in Markdown: what is prose, and what only introduces it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKER = re.compile(r"(?:(?:[-*+\u2022>]|\d{1,3}[.)])\s+)+")
_RULER = re.compile(r"[-*_=\s]{3,}|[|:\s-]{3,}")
_BOLD = re.compile(r"(\*\*|__)[^*_]+(\*\*|__):?")
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_ENDS = (".", "!", "?", "\u2026", "\u3002")


class Paragraph(NamedTuple):
    """Lines that belong together, as one; a heading claims nothing unless it is a sentence."""

    text: str
    is_heading: bool = False


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Without code, and without what a model thought aloud before it answered."""
    held: list[str] = []
    for line, following in _lines(text):
        marked = _MARKER.match(line)
        body = line[marked.end() :] if marked else line
        is_alone = line.startswith(("#", "|")) or bool(_BOLD.fullmatch(body))
        if marked or is_alone or not line:
            yield from _joined(held)
            held = []
        if is_alone:
            yield from _alone(body, following)
        elif body:
            held.append(body)
    yield from _joined(held)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Each with the one that follows it."""
    fence = ""
    kept: list[str] = []
    for line in _THOUGHT.sub("", text).splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            kept.append("")
        elif not fence:
            kept.append(line.strip())
    return pairwise([*kept, ""])


def _alone(body: str, following: str) -> Iterator[Paragraph]:
    """A heading, or a row of a table, of which the one above a ruler is the head."""
    if body.startswith("|"):
        cells = " ".join(cell.strip() for cell in body.strip("|").split("|")).strip()
        if cells and not _RULER.fullmatch(body):
            yield Paragraph(cells, bool(following) and bool(_RULER.fullmatch(following)))
        return
    told = body.lstrip("#").strip()
    yield Paragraph(told, not told.rstrip("*_").endswith(_ENDS))


def _joined(lines: list[str]) -> Iterator[Paragraph]:
    text = " ".join(lines)
    if text and not _RULER.fullmatch(text):
        yield Paragraph(text)
