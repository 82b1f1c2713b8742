"""The default embedder: granite-embedding-30m-english, offline from an installed package."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from docgraph.adapters.onnx import granite_graph, granite_pack
from docgraph.adapters.onnx.embedder import OnnxModel
from docgraph.adapters.onnx.granite_pack import NAME, find_pack, read_tokenizer
from docgraph.adapters.onnx.session import identity_part, open_session
from docgraph.adapters.onnx.text_runner import TextRunner
from docgraph.adapters.onnx.tokenizer import load_tokenizer, readable
from docgraph.model.digest import digest
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.models import CPU_ALONE, ModelProvider

if TYPE_CHECKING:
    from tokenizers import Token, Tokenizer


_parsed: dict[Path, Tokenizer] = {}
_lock = Lock()


def granite_tokenizer(pack: Path) -> Tokenizer:
    """Parsed once for embedder and counter, since that takes as long as opening the model."""
    with _lock:
        if pack not in _parsed:
            _parsed[pack] = load_tokenizer(NAME, read_tokenizer(pack))
        return _parsed[pack]


DIMENSIONS = 384
BATCH = 8  # texts of fewer than 64 tokens that run together


class GraniteEmbedder:
    """Finds its file at once, reads and checks it with the first text."""

    def __init__(self, pack: Path | None = None, providers: Sequence[str] = CPU_ALONE) -> None:
        self._pack = pack or granite_pack.find_pack()
        self._providers = providers
        self._runner: TextRunner | None = None
        self._lock = Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        parts = {"pack": granite_pack.SHA256, "graph": granite_graph.VERSION}
        whole = digest(parts | identity_part(self._providers))
        return EmbedderIdentity(granite_pack.NAME, whole, DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return self.runner().embed(texts)

    def tokenizer(self) -> Tokenizer:
        """Shared by all granite embedders of the process."""
        return granite_tokenizer(self._pack)

    def runner(self) -> TextRunner:
        with self._lock:
            if self._runner is None:
                self._runner = open_granite(self._pack, providers=self._providers)
            return self._runner


def open_granite(
    path: Path, cores: int | None = None, providers: Sequence[str] = CPU_ALONE
) -> TextRunner:
    """Other devices than the CPU compute with floats, and each text alone: their libraries choose
    other code for other batches."""
    on_cpu = tuple(providers) == CPU_ALONE
    pack = granite_pack.read_pack(path)
    graph = granite_graph.GraniteGraph(pack, integers=on_cpu)
    session = open_session(
        granite_pack.NAME, graph.model, weights=graph.weights, providers=providers
    )
    model = OnnxModel(
        granite_pack.NAME, session, first_position=pack.first_position, weights=graph.weights
    )
    return TextRunner(
        granite_pack.NAME,
        granite_tokenizer(path),
        model,
        DIMENSIONS,
        pack.max_length,
        batch=BATCH if on_cpu else 1,
        cores=cores,
    )


class CountCache(dict[str, int]):
    """Counts of texts up to `max_characters`; emptied when it has `max_entries`.

    Threads may share it: an entry that one of them clears is counted again, with the same result.
    """

    def __init__(
        self, count: Callable[[str], int], *, max_entries: int, max_characters: int
    ) -> None:
        super().__init__()
        self._count = count
        self._max_entries = max_entries
        self._max_characters = max_characters

    def __missing__(self, text: str) -> int:
        count = self._count(text)
        if len(text) <= self._max_characters:
            if len(self) >= self._max_entries:
                self.clear()
            self[text] = count
        return count


# Split a text where the granite tokenizer does, so that its tokens are those of the parts.

# A line or word ends before a space only where no space is before that: `(?<=\s)` goes on.
LINE = re.compile(r"(?a:\s*+)[^\n]++(?:(?<=\s)(?a:\s++)[^\n]*+)*+|(?a:\s++)")
WORD = re.compile(r"(?a:\s*+\S++)(?:(?<=\s)(?a:\s++\S*+))*+|(?a:\s++)")
PART = re.compile(r"(?a:'(?:[stmd]|re|ve|ll)| ?(?:[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]+)|\s+(?!\S)|\s+)")


def has_parts(word: str) -> bool:
    """Whether `PART` is the tokenizer's own expression on this word.

    Python's classes are not the tokenizer's on all of Unicode, and `<mask>` is one token.
    """
    return word.isascii() and "<" not in word


def is_plain(line: str, first: str) -> bool:
    """Whether only single spaces separate the words of a line, after any line breaks."""
    body = line.lstrip("\n")
    return bool(first) and body.isprintable() and "  " not in body and not body.endswith(" ")


AS_LETTERS = {**{byte: 256 + byte for byte in range(33)}, 127: 289}  # GPT-2's: a space is Ġ


class GraniteTokenCounter:
    """Counts as the tokenizer does, without special tokens; reads its file on first use.

    Caches lines, words and parts of words: a text is often counted after its parts.
    """

    def __init__(self, pack: Path | None = None) -> None:
        self._pack = pack or find_pack()
        self._lines = CountCache(self._in_line, max_entries=1 << 12, max_characters=1000)
        self._spaced = CountCache(self._in_spaced, max_entries=1 << 16, max_characters=64)
        self._parts = CountCache(self._in_part, max_entries=1 << 14, max_characters=32)
        self._words = CountCache(self._in_word, max_entries=1 << 16, max_characters=64)

    @property
    def name(self) -> str:
        return NAME

    def count(self, text: str) -> int:
        return sum(map(self._lines.__getitem__, LINE.findall(text)))

    def _in_line(self, line: str) -> int:
        first, *further = line.split(" ")
        if is_plain(line, first):
            return self._words[first] + sum(map(self._spaced.__getitem__, further))
        return sum(map(self._words.__getitem__, WORD.findall(line)))

    def _in_spaced(self, word: str) -> int:
        """Including the space before it."""
        return self._in_word(f" {word}")

    def _in_word(self, word: str) -> int:
        if has_parts(word):
            return sum(map(self._parts.__getitem__, PART.findall(word)))
        return len(self._tokenizer.encode(readable(word), add_special_tokens=False))

    def _in_part(self, part: str) -> int:
        return len(self._merge(part.translate(AS_LETTERS)))

    @cached_property
    def _merge(self) -> Callable[[str], list[Token]]:
        merge: Callable[[str], list[Token]] = self._tokenizer.model.tokenize
        return merge

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return granite_tokenizer(self._pack)


GRANITE = ModelProvider(
    "granite", embedder=lambda block: GraniteEmbedder(providers=block.execution_providers)
)
