"""Sentences of an answer and what each cites. Code is no sentence, and cites nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CITED = r"\[\s*\d{1,4}(?:\s*[,;\u2013-]\s*\d{1,4})*\s*\]"
_CITATION = re.compile(_CITED)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_MARKER = re.compile(r"^\s*(?:(?:[-*+\u2022>]|\d{1,3}[.)])\s+)*")
_HEADING = re.compile(r"^\s*#{1,6}\s|^\s*(?:[-*_=]\s*){3,}$|^\s*\|?[\s:|-]+\|?$")
# A sentence ends at its mark, with closing quotes and the citations that follow it.
_END = re.compile(
    rf"(?:[.!?\u2026]+[\"'\u201d\u2019)\]*_]*(?:\s*{_CITED})*(?=\s+[^\s\[]|\s*$)|[\u3002\uff01\uff1f]+[\u300d\u300f\uff09]*(?:\s*{_CITED})*)"
)
_SHORT = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|Mr|Mrs|Ms|Dr|No|Fig|al|approx|[A-Z])\.$")
_RANGE = re.compile(r"(\d+)\s*[\u2013-]\s*(\d+)")
_LONGEST_RANGE = 50


@dataclass(frozen=True, slots=True)
class Sentence:
    """`cites` are the numbers it names, in order, each once."""

    text: str
    cites: tuple[int, ...]
    needs_citing: bool


def sentences(text: str) -> tuple[Sentence, ...]:
    """Line by line: a heading, or a line that ends in a colon, introduces what follows it."""
    blanked = _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    return tuple(
        sentence for line in blanked.splitlines() for sentence in _of_line(line) if sentence.text
    )


def _of_line(line: str) -> Iterator[Sentence]:
    body = line[_match_end(_MARKER, line) :].strip()
    introduces = bool(_HEADING.match(line)) or _without_citations(body).rstrip("*_ ").endswith(
        (":", "\uff1a")
    )
    for part in _parts(body):
        cites = cited(part)
        told = _without_citations(part).strip(" .!?\u2026*_")
        yield Sentence(part, cites, bool(told) and not introduces)


def _parts(body: str) -> Iterator[str]:
    hidden = _CODE.sub(lambda found: "x" * len(found[0]), body)
    begin = 0
    for end in _END.finditer(hidden):
        mark = end.start() + 1
        if _SHORT.search(hidden[begin:mark]) and end.end() < len(hidden.rstrip()):
            continue
        yield body[begin : end.end()].strip()
        begin = end.end()
    if rest := body[begin:].strip():
        yield rest


def cited(text: str) -> tuple[int, ...]:
    """Numbers in square brackets: `[1]`, `[1, 2]`, `[1-3]`; not those inside code."""
    found: list[int] = []
    for citation in _CITATION.findall(_CODE.sub("", text)):
        for part in re.split(r"[,;]", citation.strip("[]")):
            found.extend(_numbers(part))
    return tuple(dict.fromkeys(found))


def _numbers(part: str) -> list[int]:
    ends = _RANGE.search(part)
    if ends is None:
        return [int(part)]
    first, last = int(ends[1]), int(ends[2])
    if 0 <= last - first <= _LONGEST_RANGE:
        return list(range(first, last + 1))
    return [first, last]


def _without_citations(text: str) -> str:
    return _CITATION.sub("", text).strip()


def _match_end(pattern: "re.Pattern[str]", text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0
