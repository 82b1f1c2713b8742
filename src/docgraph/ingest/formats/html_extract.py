"""The main region of an HTML page, with every offset counted from its beginning."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from docgraph.ingest.formats.html_page import Page
from docgraph.ingest.formats.sections import Heading, tidy

_SENTENCE_ENDS = frozenset(".!?:;\u2026\u3002\uff01\uff1f")
_FEW_WORDS = 8


@dataclass(frozen=True, slots=True)
class Extract:
    """`anchors` go with the headings, empty where a heading has no id; `lead` precedes them.

    Links are targets with their spans; `prose` is what is no code, None for all.
    """

    text: str
    source_lines: tuple[tuple[int, int], ...]
    headings: tuple[Heading, ...]
    anchors: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...]
    lead: str
    prose: tuple[tuple[int, int], ...] | None


def extract(page: Page) -> Extract:
    whole = page.writer.text()
    begin, end = _main_region(page, whole)
    inside = [h for h in page.headings if begin <= h.span.start and h.span.end <= end]
    stops = [*(heading.span.start for heading in inside), end]
    headings = tuple(
        Heading(
            level=heading.level,
            title=tidy(whole[heading.span.start : heading.span.end]),
            start=heading.span.start - begin,
            body=heading.span.end - begin,
            lead=_lead(page, whole, heading.span.end, stop),
        )
        for heading, stop in zip(inside, stops[1:], strict=True)
    )
    return Extract(
        text=whole[begin:end],
        source_lines=_lines_within(page.writer.source_lines, begin, end),
        headings=headings,
        anchors=tuple(heading.anchor for heading in inside),
        links=tuple(
            (target, span.start - begin, span.end - begin)
            for target, span in page.links
            if begin <= span.start and span.end <= end
        ),
        lead=_lead(page, whole, begin, stops[0]),
        prose=_between(page.writer.code, begin, end),
    )


def _main_region(page: Page, whole: str) -> tuple[int, int]:
    """The one `main`, else the one `article`, else the page; without blank space at its ends."""
    for kind in ("main", "article"):
        if len(page.regions[kind]) == 1:
            span = page.regions[kind][0]
            inside = whole[span.start : span.end]
            if inside.strip():
                begin = span.start + len(inside) - len(inside.lstrip())
                return begin, span.start + len(inside.rstrip())
    return 0, len(whole.rstrip())


def _lead(page: Page, whole: str, begin: int, end: int) -> str:
    """The first paragraph of prose that says something; a label does where there is no other."""
    blocks = page.writer.blocks
    label = ""
    for index in range(bisect_left(blocks, (begin, False)), len(blocks)):
        start, prose = blocks[index]
        if start >= end:
            break
        if prose:
            following = blocks[index + 1][0] if index + 1 < len(blocks) else end
            said = whole[start : min(following, end)].strip()
            if said[-1:] in _SENTENCE_ENDS or len(said.split(None, _FEW_WORDS)) > _FEW_WORDS:
                return said
            label = label or said
    return label


def _between(
    code: list[tuple[int, int]], begin: int, end: int
) -> tuple[tuple[int, int], ...] | None:
    inside = [(start, stop) for start, stop in code if begin <= start and stop <= end]
    if not inside:
        return None
    starts = [begin, *(stop for _, stop in inside)]
    stops = [*(start for start, _ in inside), end]
    spans = zip(starts, stops, strict=True)
    return tuple((start - begin, stop - begin) for start, stop in spans if start < stop)


def _lines_within(
    pairs: list[tuple[int, int]], begin: int, end: int
) -> tuple[tuple[int, int], ...]:
    """The line that stands at the beginning opens the map."""
    at = [offset for offset, _ in pairs]
    first, last = bisect_right(at, begin), bisect_left(at, end)
    opening = [(0, pairs[first - 1][1])] if first and end > begin else []
    return (*opening, *((offset - begin, line) for offset, line in pairs[first:last]))
