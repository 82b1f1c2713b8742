"""The default embedder: granite-embedding-30m-english, offline from an installed package."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from docgraph.adapters.onnx import granite_graph, granite_pack
from docgraph.adapters.onnx.byte_pairs import (
    LONGEST_PART,
    BytePairs,
    has_parts,
    letters_of,
    parts_of,
)
from docgraph.adapters.onnx.embedder import OnnxModel
from docgraph.adapters.onnx.granite_pack import NAME, find_pack, read_tokenizer
from docgraph.adapters.onnx.session import identity_part, open_session
from docgraph.adapters.onnx.text_runner import TextRunner
from docgraph.adapters.onnx.tokenizer import load_tokenizer, readable, tokens
from docgraph.model.digest import digest
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.models import CPU_ALONE, ModelProvider

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_parsed: dict[Path, Tokenizer] = {}
_lock = Lock()


def granite_tokenizer(pack: Path) -> Tokenizer:
    """Parsed once for embedder and counter, since that takes as long as opening the model."""
    with _lock:
        if pack not in _parsed:
            _parsed[pack] = load_tokenizer(NAME, read_tokenizer(pack).decode())
        return _parsed[pack]


_pairs: dict[Path, BytePairs] = {}
_pairs_lock = Lock()


def granite_byte_pairs(pack: Path) -> BytePairs:
    """Parsed once for embedder and counter."""
    with _pairs_lock:
        if pack not in _pairs:
            _pairs[pack] = BytePairs(read_tokenizer(pack))
        return _pairs[pack]


DIMENSIONS = 384
BATCH = 8  # texts of fewer than 64 tokens that run together
FIRST_CHARACTERS = 2_000  # of a process, which are split without the library
START, END = 0, 2  # tokens around a text


class GraniteEncoder:
    """Tokens of a text. A process that embeds a question or two does not wait for the library."""

    def __init__(self, pack: Path) -> None:
        self._pack = pack
        self._left = FIRST_CHARACTERS

    def __call__(self, text: str, longest: int) -> list[int]:
        self._left -= len(text)
        if self._left < 0 or not has_parts(text):
            return tokens(granite_tokenizer(self._pack), text, longest)
        ids = granite_byte_pairs(self._pack).ids(text)
        return [START, *ids[: max(0, longest - 2)], END]


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
        GraniteEncoder(path),
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


def is_plain(line: str, first: str) -> bool:
    """Whether only single spaces separate the words of a line, after any line breaks."""
    body = line.lstrip("\n")
    return bool(first) and body.isprintable() and "  " not in body and not body.endswith(" ")


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
            return sum(map(self._parts.__getitem__, parts_of(word)))
        return len(self._tokenizer.encode(readable(word), add_special_tokens=False))

    def _in_part(self, part: str) -> int:
        if len(part) > LONGEST_PART:
            return len(self._tokenizer.model.tokenize(letters_of(part)))
        return len(self._byte_pairs.tokens(part))

    @cached_property
    def _byte_pairs(self) -> BytePairs:
        return granite_byte_pairs(self._pack)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return granite_tokenizer(self._pack)


GRANITE = ModelProvider(
    "granite", embedder=lambda block: GraniteEmbedder(providers=block.execution_providers)
)
