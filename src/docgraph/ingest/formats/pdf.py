"""PDF: text page by page, sections by the outline."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docgraph.ingest.formats.pdf_pages import Bookmark, Pages, read_pages
from docgraph.ingest.formats.sections import Heading, Slugs, choose_title, make_sections
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import SourceProblem

_PAGE_BREAK = "\n\n"
_MAX_LEAD_CHARACTERS = 1_000
_MAX_TITLE_CHARACTERS = 300
_MAX_SEARCHES = 100  # of titles in one page; more entries of it are at the last that was found
# Titles that programs write where the author gave none.
_PLACEHOLDER_TITLE = re.compile(
    r"(?i)(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|(?:document|slide)\s*+\d*"
    r"|.*\.(?:docx?|dvi|fm|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|txt|xlsx?))"
)


def make_headings(outline: Sequence[Bookmark], text: str, starts: Sequence[int]) -> list[Heading]:
    """In the order of the text; an entry of an earlier page than the one before is left out."""
    headings = list(_locate_bookmarks(outline, text, starts))
    stops = [*(heading.start for heading in headings), len(text)][1:]
    return [
        replace(
            heading,
            lead=text[heading.body : min(stop, heading.body + _MAX_LEAD_CHARACTERS)].strip(),
        )
        for heading, stop in zip(headings, stops, strict=True)
    ]


def _locate_bookmarks(
    outline: Sequence[Bookmark], text: str, starts: Sequence[int]
) -> Iterator[Heading]:
    page, at, searches = 0, 0, 0
    for mark in outline:
        if not page <= mark.page < len(starts):
            continue
        searches = searches + 1 if page == mark.page else 1
        page, at = mark.page, max(at, starts[mark.page])
        end = starts[page + 1] if page + 1 < len(starts) else len(text)
        start, body = at, at
        if searches <= _MAX_SEARCHES:
            start, body = _find_title(mark.title, text, at, end)
        yield Heading(mark.level + 1, mark.title, start, body)
        at = body


def _find_title(title: str, text: str, start: int, end: int) -> tuple[int, int]:
    for form in title_forms(title):
        match = re.compile(form).search(text, start, end)
        if match:
            return match.start(), match.end()
    return start, start


def title_forms(title: str) -> tuple[str, str]:
    """A line with the title, perhaps after a number; else one that begins with it."""
    words = r"\s+".join(map(re.escape, title[:_MAX_TITLE_CHARACTERS].split()))
    begins = rf"(?im)^(?:[\w.]+[ \t]+)?{words}"
    return rf"{begins}[ \t]*$", begins


def join_pages(texts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """The text and where its pages or cells begin; an empty one begins where the next does."""
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + len(_PAGE_BREAK) if text else 0
    whole = _PAGE_BREAK.join(filter(None, texts))
    return whole, tuple(min(start, len(whole)) for start in starts)


def page_borders(starts: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({start for start in starts if start}))


def read_pdf(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """No chunk crosses the end of a page."""
    pages = read_pages(path, data)
    if isinstance(pages, SourceProblem):
        return pages
    if not any(pages.texts):
        return SourceProblem(path, "no text in it, as in a scan; run OCR over it first")
    text, starts = join_pages(pages.texts)
    headings = make_headings(pages.outline, text, starts)
    title, titled = choose_title(path, _metadata_title(pages), pages.big_line)
    body = text.find(title) + len(title) if title in text[: 2 * _MAX_LEAD_CHARACTERS] else 0
    preamble = headings[0].start if headings else len(text)
    lead = text[body : min(body + _MAX_LEAD_CHARACTERS, max(preamble, body))].strip()
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=lead or next((heading.lead for heading in headings if heading.lead), ""),
        parts=make_sections(headings, len(text), Slugs()),
        borders=page_borders(starts),
        remarks=_remarks(pages),
        pages=starts,
    )


def _metadata_title(pages: Pages) -> str:
    return "" if _PLACEHOLDER_TITLE.fullmatch(pages.title) else pages.title


def _remarks(pages: Pages) -> tuple[str, ...]:
    empty, all_pages = pages.texts.count(""), len(pages.texts)
    if empty * 2 <= all_pages:
        return ()
    return (f"{empty} of {all_pages} pages have no text, as in a scan",)
