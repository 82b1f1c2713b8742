"""Counts tokens as the granite tokenizer does, remembering lines, words and parts of words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.adapters.onnx.granite_pack import NAME, find_pack
from docgraph.adapters.onnx.granite_tokenizer import granite_tokenizer
from docgraph.adapters.onnx.remembered import Remembered
from docgraph.adapters.onnx.tokenizer import readable
from docgraph.adapters.onnx.word_parts import LINE, PART, WORD, has_parts, is_plain

if TYPE_CHECKING:
    from tokenizers import Token, Tokenizer

AS_LETTERS = {**{byte: 256 + byte for byte in range(33)}, 127: 289}  # GPT-2's: a space is Ġ


class GraniteTokenCounter:
    """Counts whole texts, without special tokens; reads its file when first asked.

    A page is counted after its pieces: it has their lines.
    """

    def __init__(self, pack: Path | None = None) -> None:
        self._pack = pack or find_pack()
        self._lines = Remembered(self._in_line, most=1 << 12, longest=1000)
        self._spaced = Remembered(self._in_spaced, most=1 << 16, longest=64)
        self._parts = Remembered(self._in_part, most=1 << 14, longest=32)
        self._words = Remembered(self._in_word, most=1 << 16, longest=64)

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
        """With the space before it."""
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
