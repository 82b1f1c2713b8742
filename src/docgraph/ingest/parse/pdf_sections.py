"""A PDF's outline as headings: where in the text of its page each entry stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docgraph.ingest.parse.pdf_pages import Bookmark
from docgraph.ingest.parse.sections import Heading

_LONGEST_TITLE = 300


def outlined(outline: Sequence[Bookmark], text: str, starts: Sequence[int]) -> list[Heading]:
    """In the order of the text; an entry that leads back to an earlier page is left out."""
    found = list(_placed(outline, text, starts))
    stops = [*(heading.start for heading in found), len(text)][1:]
    return [
        replace(heading, lead=text[heading.body : min(stop, heading.body + _LEAD)].strip())
        for heading, stop in zip(found, stops, strict=True)
    ]


def _placed(outline: Sequence[Bookmark], text: str, starts: Sequence[int]) -> Iterator[Heading]:
    page, at = 0, 0
    for mark in outline:
        if not page <= mark.page < len(starts):
            continue
        page, at = mark.page, max(at, starts[mark.page])
        end = starts[page + 1] if page + 1 < len(starts) else len(text)
        start, body = _place(mark.title, text, at, end)
        yield Heading(mark.level + 1, mark.title, start, body)
        at = body


def _place(title: str, text: str, start: int, end: int) -> tuple[int, int]:
    """A line that says it, perhaps behind a number; else a line that begins with it; else here."""
    words = r"\s+".join(map(re.escape, title[:_LONGEST_TITLE].split()))
    for form in (rf"(?im)^(?:[\w.]+[ \t]+)?{words}[ \t]*$", rf"(?im)^(?:[\w.]+[ \t]+)?{words}"):
        match = re.compile(form).search(text, start, end)
        if match:
            return match.start(), match.end()
    return start, start
