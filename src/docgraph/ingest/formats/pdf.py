"""PDF: text page by page, sections by the outline."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docgraph.ingest.formats.pdf_pages import Bookmark, Pages, pages_of
from docgraph.ingest.formats.sections import Heading, Slugs, chosen, sections
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import SourceProblem

# A PDF's outline as headings: where in the text of its page each entry stands.


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


# Pages or cells one after another, and where each of them begins.


_BETWEEN = "\n\n"


def paged(texts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """An empty page has no place: it begins where the next one does, or the text ends."""
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + len(_BETWEEN) if text else 0
    whole = _BETWEEN.join(filter(None, texts))
    return whole, tuple(min(start, len(whole)) for start in starts)


def page_borders(starts: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({start for start in starts if start}))


_LEAD = 1_000
# What programs write when nobody gave a title.
_MADE_UP = re.compile(
    r"(?i)(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|(?:document|slide)\s*\d*"
    r"|.*\.(?:docx?|dvi|fm|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|txt|xlsx?))\s*"
)


def read_pdf(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """No chunk reaches across the end of a page."""
    pages = pages_of(path, data)
    if isinstance(pages, SourceProblem):
        return pages
    if not any(pages.texts):
        return SourceProblem(path, "no text in it, as in a scan; run OCR over it first")
    text, starts = paged(pages.texts)
    headings = outlined(pages.outline, text, starts)
    title, titled = chosen(path, _said_title(pages), pages.big_line)
    body = text.find(title) + len(title) if title in text[: 2 * _LEAD] else 0
    preamble = headings[0].start if headings else len(text)
    lead = text[body : min(body + _LEAD, max(preamble, body))].strip()
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=lead or next((heading.lead for heading in headings if heading.lead), ""),
        parts=sections(headings, len(text), Slugs()),
        borders=page_borders(starts),
        remarks=_remarks(pages),
        pages=starts,
    )


def _said_title(pages: Pages) -> str:
    return "" if _MADE_UP.fullmatch(pages.title) else pages.title


def _remarks(pages: Pages) -> tuple[str, ...]:
    empty, all_pages = pages.texts.count(""), len(pages.texts)
    if empty * 2 <= all_pages:
        return ()
    return (f"{empty} of {all_pages} pages have no text, as in a scan",)
