"""Procedures: the grammar has none, so that they are found in the text and taken out of its way."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docgraph.ingest.parse.code.language import Found
    from docgraph.ingest.parse.code.source import Source

_HEAD = re.compile(
    rb"(?im)^[ \t]*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?PROC(?:EDURE)?\s+"
    rb"((?:[\w.$]|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\])+)"
)
_BODY = re.compile(rb"(?i)(\$\w*\$)|\bBEGIN\b|\bAS\b(?!\s+\$)")
_NEXT = re.compile(rb"(?im)^[ \t]*(?:CREATE|GO|DELIMITER|ALTER)\b")
_TAIL = re.compile(rb"(?i)\s*(?:LANGUAGE\s+\w+\s*)?;")
_NOT_BLANK = re.compile(rb"[^\s]")
_BRACKETS = re.compile(rb"(?<![\w\])\"'])\[([^\W\d][\w $]*)\]")
_LONGEST_HEAD = 5_000


def procedures(source: "Source") -> "Iterator[Found]":
    for start, name, _, end in _procedures(source.data):
        yield "function", (start, end), name


def prepared(data: bytes) -> bytes:
    """What the grammar can read, of the same length: heads blank, and brackets as quotes."""
    kept, at = [], 0
    for start, _, (body, close), end in _procedures(data):
        kept += [
            data[at:start],
            _blank(data[start:body]),
            data[body:close],
            _blank(data[close:end]),
        ]
        at = end
    return _BRACKETS.sub(rb'"\1"', b"".join([*kept, data[at:]]))


def _procedures(data: bytes) -> Iterator[tuple[int, tuple[int, int], tuple[int, int], int]]:
    """(start, name, body, end) of each, in order."""
    at = 0
    while head := _HEAD.search(data, at):
        found = _BODY.search(data, head.end(), head.end() + _LONGEST_HEAD)
        body = found.end() if found else head.end()
        after = _NEXT.search(data, body)
        end = close = after.start() if after else len(data)
        if found and found.group(1):
            closing = data.find(found.group(1), body)
            close = closing if closing >= 0 else len(data)
            end = _after(data, close + len(found.group(1)))
        start = head.end() - len(head.group().lstrip())
        end = start + len(data[start:end].rstrip())
        yield start, head.span(1), (min(body, end), min(close, end)), end
        at = max(end, head.end())


def _after(data: bytes, place: int) -> int:
    """What may follow a body (`LANGUAGE sql;`) belongs to its procedure."""
    match = _TAIL.match(data, place)
    return match.end() if match else min(place, len(data))


def _blank(data: bytes) -> bytes:
    return _NOT_BLANK.sub(b" ", data)
