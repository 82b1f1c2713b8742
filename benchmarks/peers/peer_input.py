"""The input of every peer: chunks with their vectors, and the links between pages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.cheap_engine import ScatteredEmbedder
from benchmarks.generated_chunks import GeneratedChunks, Rows
from benchmarks.questions import BenchmarkQuestion

LINK = re.compile(r"\(/(\d+\.md)\)")
TOP = 10
Ask = Callable[[BenchmarkQuestion], Sequence[str]]  # the texts that were found


@dataclass(frozen=True, slots=True)
class PeerInput:
    chunks: GeneratedChunks
    known: dict[str, Rows]

    def vector(self, text: str) -> Rows:
        """Looked up; a text that is no chunk and no question gets an arbitrary vector."""
        found = self.known.get(text)
        if found is not None:
            return found
        return ScatteredEmbedder().embed([text])[0].astype("float32")

    def links(self) -> dict[str, list[str]]:
        """By page, the pages it links to, each once and never itself."""
        found: dict[str, list[str]] = {}
        for page, text in zip(self.chunks.documents, self.chunks.texts, strict=True):
            ends = found.setdefault(page, [])
            ends += [end for end in LINK.findall(text) if end != page and end not in ends]
        return found


def make_input(chunks: GeneratedChunks, asked: Sequence[BenchmarkQuestion]) -> PeerInput:
    known = dict(zip(chunks.texts, chunks.vectors, strict=True))
    return PeerInput(chunks, known | {one.text: one.floats for one in asked})
