"""Sentences of an answer and what each cites. Code is no sentence, and cites nothing.

Every expression here is linear in what a model says: it may say dots without end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

# Paragraphs of an answer written in Markdown: what is prose, and what only introduces it.


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


_JOINED = r"\s*+(?:[,;\u2013-]|and\b|&)\s*+"
_SQUARE = rf"\[\^?\s*+\d{{1,4}}(?:{_JOINED}\^?\d{{1,4}})*+\s*+\]"
_CITED = rf"(?:{_SQUARE}|\u3010\d{{1,4}}[^\u3011\n]{{0,20}}\u3011)"
_CITATION = re.compile(_CITED)
_CODE = re.compile(r"`[^`\n]*`")
_MARKS = r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)*_]*+"
_WIDE_MARKS = r"[\u3002\uff01\uff1f]++[\u300d\u300f\uff09]*+"
# A sentence ends with the citations that follow its mark, unless they come before what they cite.
_END = re.compile(rf"{_MARKS}(?:\s*+{_CITED})*+(?=\s|$)|{_WIDE_MARKS}(?:\s*+{_CITED})*+")
_BARE_END = re.compile(rf"{_MARKS}(?=\s|$)|{_WIDE_MARKS}")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|Mr|Mrs|Ms|Dr|St|Fig|al|approx|[A-Z]|(?:[A-Z]\.)+[A-Z])\.$"
)
_SHORT_BEFORE_SMALL = re.compile(r"(?:^|[\s(])(?:etc|No|Inc|Ltd|Co|Corp|Nr)\.$")
_LONGEST_SHORT = 12
_NUMBER = re.compile(r"(\d+)(?:\s*[\u2013-]\s*\^?(\d+))?")
_LONGEST_RANGE = 50


@dataclass(frozen=True, slots=True)
class Sentence:
    """`cites` are the numbers it names, in order, each once."""

    text: str
    cites: tuple[int, ...]
    needs_citing: bool


def sentences(text: str) -> tuple[Sentence, ...]:
    """A heading, or what ends in a colon, introduces what follows it, and needs no citation."""
    return tuple(sentence for found in paragraphs(text) for sentence in _of_paragraph(found))


def _of_paragraph(paragraph: Paragraph) -> Iterator[Sentence]:
    for part in _parts(paragraph.text):
        told = _CITATION.sub("", part).strip().rstrip("*_ ")
        claims = bool(told.strip(" .!?\u2026*_-")) and not told.endswith((":", "\uff1a"))
        yield Sentence(part, cited(part), claims and not paragraph.is_heading)


def _parts(body: str) -> Iterator[str]:
    hidden = _CODE.sub(lambda found: "x" * len(found[0]), body)
    ends = _BARE_END if _CITATION.match(hidden) else _END
    begin = 0
    for end in ends.finditer(hidden):
        mark = end.start() + 1
        if not _is_short(hidden[max(begin, mark - _LONGEST_SHORT) : mark], hidden[end.end() :][:2]):
            yield body[begin : end.end()].strip()
            begin = end.end()
    if rest := body[begin:].strip():
        yield rest


def _is_short(before: str, after: str) -> bool:
    """Whether this mark ends a word that is cut short, and no sentence."""
    following = after.strip()
    if not following:
        return False
    if _SHORT.search(before):
        return True
    return bool(_SHORT_BEFORE_SMALL.search(before)) and not following.isupper()


def cited(text: str) -> tuple[int, ...]:
    """Numbers in square brackets: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`; not 0, nor those in code."""
    found: list[int] = []
    for citation in _CITATION.findall(_CODE.sub("", text)):
        spans = citation[:5] if citation.startswith("\u3010") else citation
        for first, last in _NUMBER.findall(spans):
            found.extend(_numbers(int(first), int(last or first)))
    return tuple(number for number in dict.fromkeys(found) if number)


def _numbers(first: int, last: int) -> list[int]:
    if 0 <= last - first <= _LONGEST_RANGE:
        return list(range(first, last + 1))
    return [first, last]
