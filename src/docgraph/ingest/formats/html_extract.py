"""Extracts the main region of an HTML page; offsets count from the region's beginning."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from docgraph.ingest.formats.html_page import Page
from docgraph.ingest.formats.sections import Heading, clean_title

_SENTENCE_ENDS = frozenset(".!?:;\u2026\u3002\uff01\uff1f")
_MAX_LABEL_WORDS = 8


@dataclass(frozen=True, slots=True)
class ExtractedContent:
    """`anchors` go with the headings, empty where a heading has no id; `lead` precedes them.

    Links are targets with their spans; `prose` is all but code, None for all.
    """

    text: str
    source_lines: tuple[tuple[int, int], ...]
    headings: tuple[Heading, ...]
    anchors: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...]
    lead: str
    prose: tuple[tuple[int, int], ...] | None


def extract(page: Page) -> ExtractedContent:
    whole = page.writer.text()
    begin, end = _find_main_region(page, whole)
    inside = [h for h in page.headings if begin <= h.span.start and h.span.end <= end]
    stops = [*(heading.span.start for heading in inside), end]
    headings = tuple(
        Heading(
            level=heading.level,
            title=clean_title(whole[heading.span.start : heading.span.end]),
            start=heading.span.start - begin,
            body=heading.span.end - begin,
            lead=_find_lead(page, whole, heading.span.end, stop),
        )
        for heading, stop in zip(inside, stops[1:], strict=True)
    )
    return ExtractedContent(
        text=whole[begin:end],
        source_lines=_cut_lines(page.writer.source_lines, begin, end),
        headings=headings,
        anchors=tuple(heading.anchor for heading in inside),
        links=tuple(
            (target, span.start - begin, span.end - begin)
            for target, span in page.links
            if begin <= span.start and span.end <= end
        ),
        lead=_find_lead(page, whole, begin, stops[0]),
        prose=_complement(page.writer.code, begin, end),
    )


def _find_main_region(page: Page, whole: str) -> tuple[int, int]:
    """The one `main`, else the one `article`, else the page; without white space at its ends."""
    for kind in ("main", "article"):
        if len(page.regions[kind]) == 1:
            span = page.regions[kind][0]
            inside = whole[span.start : span.end]
            if inside.strip():
                begin = span.start + len(inside) - len(inside.lstrip())
                return begin, span.start + len(inside.rstrip())
    return 0, len(whole.rstrip())


def _find_lead(page: Page, whole: str, begin: int, end: int) -> str:
    """The first paragraph of prose; a label, which is short, only where there is no other."""
    blocks = page.writer.blocks
    label = ""
    for index in range(bisect_left(blocks, (begin, False)), len(blocks)):
        start, prose = blocks[index]
        if start >= end:
            break
        if prose:
            following = blocks[index + 1][0] if index + 1 < len(blocks) else end
            text = whole[start : min(following, end)].strip()
            if (
                text[-1:] in _SENTENCE_ENDS
                or len(text.split(None, _MAX_LABEL_WORDS)) > _MAX_LABEL_WORDS
            ):
                return text
            label = label or text
    return label


def _complement(
    code: list[tuple[int, int]], begin: int, end: int
) -> tuple[tuple[int, int], ...] | None:
    inside = [(start, stop) for start, stop in code if begin <= start and stop <= end]
    if not inside:
        return None
    starts = [begin, *(stop for _, stop in inside)]
    stops = [*(start for start, _ in inside), end]
    spans = zip(starts, stops, strict=True)
    return tuple((start - begin, stop - begin) for start, stop in spans if start < stop)


def _cut_lines(pairs: list[tuple[int, int]], begin: int, end: int) -> tuple[tuple[int, int], ...]:
    """The map begins with the line of the region's beginning."""
    at = [offset for offset, _ in pairs]
    first, last = bisect_right(at, begin), bisect_left(at, end)
    opening = [(0, pairs[first - 1][1])] if first and end > begin else []
    return (*opening, *((offset - begin, line) for offset, line in pairs[first:last]))
