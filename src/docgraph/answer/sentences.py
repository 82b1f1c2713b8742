"""Splits an answer into sentences with their citations. Code is not a sentence.

Every expression takes linear time: a model may write any number of dots.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

# Paragraphs of an answer in Markdown.


_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKER = re.compile(r"(?:(?:[-*+\u2022>]|\d{1,3}[.)])\s+)+")
_RULER = re.compile(r"[-*_=\s]{3,}|[|:\s-]{3,}")
_BOLD = re.compile(r"(\*\*|__)[^*_]+(\*\*|__):?")
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_ENDS = (".", "!", "?", "\u2026", "\u3002")


class Paragraph(NamedTuple):
    """Lines of one paragraph, joined; `is_heading` unless a heading is a whole sentence."""

    text: str
    is_heading: bool = False


def split_paragraphs(text: str) -> Iterator[Paragraph]:
    """Without code, and without the thinking that a model wrote before its answer."""
    pending: list[str] = []
    for line, following in _lines(text):
        marker = _MARKER.match(line)
        body = line[marker.end() :] if marker else line
        is_single = line.startswith(("#", "|")) or bool(_BOLD.fullmatch(body))
        if marker or is_single or not line:
            yield from _join_lines(pending)
            pending = []
        if is_single:
            yield from _heading_or_row(body, following)
        elif body:
            pending.append(body)
    yield from _join_lines(pending)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Each line outside code, with the one that follows it."""
    fence = ""
    lines: list[str] = []
    for line in _THOUGHT.sub("", text).splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            lines.append("")
        elif not fence:
            lines.append(line.strip())
    return pairwise([*lines, ""])


def _heading_or_row(body: str, following: str) -> Iterator[Paragraph]:
    """A heading, or a row of a table; the row above a ruler is the table's heading."""
    if body.startswith("|"):
        cells = " ".join(cell.strip() for cell in body.strip("|").split("|")).strip()
        if cells and not _RULER.fullmatch(body):
            yield Paragraph(cells, bool(following) and bool(_RULER.fullmatch(following)))
        return
    heading = body.lstrip("#").strip()
    yield Paragraph(heading, not heading.rstrip("*_").endswith(_ENDS))


def _join_lines(lines: list[str]) -> Iterator[Paragraph]:
    text = " ".join(lines)
    if text and not _RULER.fullmatch(text):
        yield Paragraph(text)


# Citations and the ends of sentences.


_JOINED = r"\s*+(?:[,;\u2013-]|and\b|&)\s*+"
_SQUARE = rf"\[\^?\s*+\d{{1,4}}(?:{_JOINED}\^?\d{{1,4}})*+\s*+\]"
_CITED = rf"(?:{_SQUARE}|\u3010\d{{1,4}}[^\u3011\n]{{0,20}}\u3011)"
_CITATION = re.compile(_CITED)
_CODE = re.compile(r"`[^`\n]*`")
_MARKS = r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)*_]*+"
_WIDE_MARKS = r"[\u3002\uff01\uff1f]++[\u300d\u300f\uff09]*+"
# A sentence ends with the citations after its mark, unless citations precede sentences.
_END = re.compile(rf"{_MARKS}(?:\s*+{_CITED})*+(?=\s|$)|{_WIDE_MARKS}(?:\s*+{_CITED})*+")
_BARE_END = re.compile(rf"{_MARKS}(?=\s|$)|{_WIDE_MARKS}")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|Mr|Mrs|Ms|Dr|St|Fig|al|approx|[A-Z]|(?:[A-Z]\.)+[A-Z])\.$"
)
_ABBREVIATION_BEFORE_LOWER_CASE = re.compile(r"(?:^|[\s(])(?:etc|No|Inc|Ltd|Co|Corp|Nr)\.$")
_MAX_ABBREVIATION_CHARACTERS = 12
_NUMBER = re.compile(r"(\d+)(?:\s*[\u2013-]\s*\^?(\d+))?")
_MAX_RANGE = 50


@dataclass(frozen=True, slots=True)
class Sentence:
    """`cites` are the numbers that it cites, in order, each once."""

    text: str
    cites: tuple[int, ...]
    needs_citation: bool


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """A heading, or a sentence that ends in a colon, introduces others and needs no citation."""
    return tuple(one for paragraph in split_paragraphs(text) for one in _of_paragraph(paragraph))


def _of_paragraph(paragraph: Paragraph) -> Iterator[Sentence]:
    for part in _parts(paragraph.text):
        words = _CITATION.sub("", part).strip().rstrip("*_ ")
        is_claim = bool(words.strip(" .!?\u2026*_-")) and not words.endswith((":", "\uff1a"))
        yield Sentence(part, cited_numbers(part), is_claim and not paragraph.is_heading)


def _parts(body: str) -> Iterator[str]:
    masked = _CODE.sub(lambda code: "x" * len(code[0]), body)
    ends = _BARE_END if _CITATION.match(masked) else _END
    begin = 0
    for end in ends.finditer(masked):
        mark = end.start() + 1
        before = masked[max(begin, mark - _MAX_ABBREVIATION_CHARACTERS) : mark]
        if not _is_abbreviation(before, masked[end.end() :][:2]):
            yield body[begin : end.end()].strip()
            begin = end.end()
    if rest := body[begin:].strip():
        yield rest


def _is_abbreviation(before: str, after: str) -> bool:
    """Whether the mark belongs to an abbreviation and ends no sentence."""
    following = after.strip()
    if not following:
        return False
    if _ABBREVIATION.search(before):
        return True
    return bool(_ABBREVIATION_BEFORE_LOWER_CASE.search(before)) and not following.isupper()


def cited_numbers(text: str) -> tuple[int, ...]:
    """Numbers in square brackets: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`; not 0, nor those in code."""
    numbers: list[int] = []
    for citation in _CITATION.findall(_CODE.sub("", text)):
        spans = citation[:5] if citation.startswith("\u3010") else citation
        for first, last in _NUMBER.findall(spans):
            numbers.extend(_expand_range(int(first), int(last or first)))
    return tuple(number for number in dict.fromkeys(numbers) if number)


def _expand_range(first: int, last: int) -> list[int]:
    if 0 <= last - first <= _MAX_RANGE:
        return list(range(first, last + 1))
    return [first, last]
