"""Headings to sections: spans, nesting and anchors."""

from collections.abc import Sequence
from dataclasses import dataclass

from docgraph.ingest.parsed import Part
from docgraph.ingest.slugs import Slugs
from docgraph.model.node import SECTION


@dataclass(frozen=True, slots=True)
class Heading:
    """`body` is where its text begins; a lower level encloses a higher one."""

    level: int
    title: str
    start: int
    body: int
    lead: str = ""


def sections(headings: Sequence[Heading], end: int, slugs: Slugs) -> tuple[Part, ...]:
    """A section reaches to the next heading that it does not enclose."""
    ends = [end] * len(headings)
    parents: list[int | None] = []
    opened: list[int] = []
    for index, heading in enumerate(headings):
        while opened and headings[opened[-1]].level >= heading.level:
            ends[opened.pop()] = heading.start
        parents.append(opened[-1] if opened else None)
        opened.append(index)
    return tuple(
        Part(SECTION, slugs.take(h.title), h.title, h.start, ends[i], parents[i], h.lead)
        for i, h in enumerate(headings)
    )
