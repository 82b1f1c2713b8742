"""What every peer is given: passages with their vectors, and which page links to which."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.asked import Asked
from benchmarks.cheap_engine import ScatteredEmbedder
from benchmarks.made_passages import Passages, Rows

LINK = re.compile(r"\(/(\d+\.md)\)")
TOP = 10
Ask = Callable[[Asked], Sequence[str]]  # the texts that were found


@dataclass(frozen=True, slots=True)
class Given:
    passages: Passages
    known: dict[str, Rows]

    def vector(self, text: str) -> Rows:
        """Looked up; what no passage and no question says gets a vector that costs nothing."""
        found = self.known.get(text)
        if found is not None:
            return found
        return ScatteredEmbedder().embed([text])[0].astype("float32")

    def links(self) -> dict[str, list[str]]:
        """By page, the pages it links to, each once and never itself."""
        found: dict[str, list[str]] = {}
        for page, text in zip(self.passages.documents, self.passages.texts, strict=True):
            ends = found.setdefault(page, [])
            ends += [end for end in LINK.findall(text) if end != page and end not in ends]
        return found


def given(passages: Passages, asked: Sequence[Asked]) -> Given:
    known = dict(zip(passages.texts, passages.vectors, strict=True))
    return Given(passages, known | {one.text: one.floats for one in asked})
