"""PDF: text page by page, sections by the outline."""

import re

from docgraph.ingest.parse.paged import page_borders, paged
from docgraph.ingest.parse.pdf_pages import Pages, pages_of
from docgraph.ingest.parse.pdf_sections import outlined
from docgraph.ingest.parse.sections import sections
from docgraph.ingest.parse.titles import chosen
from docgraph.ingest.parsed import Parsed
from docgraph.ingest.slugs import Slugs
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import Problem

_LEAD = 1_000
# What programs write when nobody gave a title.
_MADE_UP = re.compile(
    r"(?i)(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|(?:document|slide)\s*\d*"
    r"|.*\.(?:docx?|dvi|fm|indd|odt|pages|pdf|pptx?|ps|qxd|rtf|tex|txt|xlsx?))\s*"
)


def read_pdf(path: str, data: bytes) -> Parsed | Problem:
    """No chunk reaches across the end of a page."""
    pages = pages_of(path, data)
    if isinstance(pages, Problem):
        return pages
    if not any(pages.texts):
        return Problem(path, "no text in it, as in a scan; run OCR over it first")
    text, starts = paged(pages.texts)
    headings = outlined(pages.outline, text, starts)
    title, titled = chosen(path, _said_title(pages), pages.big_line)
    body = text.find(title) + len(title) if title in text[: 2 * _LEAD] else 0
    preamble = headings[0].start if headings else len(text)
    lead = text[body : min(body + _LEAD, max(preamble, body))].strip()
    return Parsed(
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
