"""A sketch: one document as miners see it, before anyone knows what else there is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from docgraph.ingest.mine.mentioned import few, named
from docgraph.ingest.parsed import Field, Parsed, Reference
from docgraph.model.claim import Claim
from docgraph.model.node import CODE

_LONGEST_SAYING = 120


@dataclass(frozen=True)
class Sketch:
    """`nodes` are the ids of the document and of its parts, in order; `names` its own names.

    `line_at` gives the line of the file for an offset in the text.
    """

    repository: str
    path: str
    parsed: Parsed
    nodes: tuple[str, ...]
    names: tuple[str, ...]
    line_at: Callable[[int], int]

    @property
    def id(self) -> str:
        return self.nodes[0]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @cached_property
    def named(self) -> tuple[tuple[str, int, int], ...]:
        """The first places of every name that a document spells as code does; code has none."""
        return () if self.parsed.kind == CODE else tuple(few(named(self.parsed.text)))

    def claim(
        self,
        miner: str,
        relation: str,
        key: str,
        place: Reference | Field,
        *,
        says: str,
        inner: str = "",
        strict: bool = False,
        rank: int = 0,
        near: int = 0,
        reported: bool = True,
    ) -> Claim:
        """The document's own claim, at a place in its text."""
        return Claim(
            source=self.id,
            relation=relation,
            key=key,
            start=place.start,
            end=place.end,
            line=place.line,
            says=says[:_LONGEST_SAYING],
            miner=miner,
            inner=inner,
            strict=strict,
            rank=rank,
            near=near,
            reported=reported,
        )

    def claim_at(
        self, miner: str, relation: str, key: str, start: int, end: int, says: str = ""
    ) -> Claim:
        """A name in the text: the nearest who offers it is meant; nobody need be."""
        return Claim(
            source=self.id,
            relation=relation,
            key=key,
            start=start,
            end=end,
            line=self.line_at(start),
            says=says or self.parsed.text[start:end],
            miner=miner,
            near=1,
            reported=False,
        )
