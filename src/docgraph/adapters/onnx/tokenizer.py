"""Tokens of texts: the granite tokenizer as a counter, and what embedders share with it."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from docgraph.adapters.onnx.granite_pack import NAME, find_pack, read_tokenizer
from docgraph.model.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class GraniteTokenCounter:
    """Counts whole texts, without special tokens; reads its file when first asked."""

    def __init__(self, pack: Path | None = None) -> None:
        self._pack = pack or find_pack()
        self._tokenizer: Tokenizer | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        return NAME

    def count(self, text: str) -> int:
        return len(tokens(self._loaded(), text, special=False))

    def _loaded(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = load_tokenizer(NAME, read_tokenizer(self._pack))
            return self._tokenizer


def load_tokenizer(name: str, text: str, max_length: int | None = None) -> Tokenizer:
    """Never pads; truncates to `max_length`, special tokens included, when it is given."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"{name}: the tokenizer cannot be read: {error}") from error
    tokenizer.no_padding()
    if max_length is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(max_length)
    return tokenizer


def tokens(tokenizer: Tokenizer, text: str, *, special: bool) -> list[int]:
    """One text at a time: the library then starts no threads, so a later fork is safe.

    Half a surrogate pair, which no tokenizer reads, counts as a question mark.
    """
    readable = text.encode("utf-8", "replace").decode("utf-8")
    ids: list[int] = tokenizer.encode(readable, add_special_tokens=special).ids
    return ids
