"""Tokenizer files, and the tokens of a text or of a pair as a model reads them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.model.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


def load_tokenizer(name: str, text: str) -> Tokenizer:
    """Without the padding and truncation that its file may set."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"{name}: the tokenizer cannot be read: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def tokens(tokenizer: Tokenizer, text: str, longest: int) -> list[int]:
    """What a model reads: at most `longest` tokens, special ones included.

    One text at a time: the library then starts no threads, so a later fork is safe.
    """
    encoding = _encode(tokenizer, text)
    encoding.truncate(max(0, longest - tokenizer.num_special_tokens_to_add(False)))
    ids: list[int] = tokenizer.post_process(encoding).ids
    return ids


def pair_tokens(
    tokenizer: Tokenizer, question: str, text: str, longest: int
) -> tuple[list[int], list[int]]:
    """What a cross-encoder reads: at most `longest` tokens, and to which of the two each belongs.

    The text is truncated, and the question is not, unless it takes all tokens: then it is
    truncated to half of them.
    """
    available = longest - tokenizer.num_special_tokens_to_add(True)
    first, second = _encode(tokenizer, question), _encode(tokenizer, text)
    if len(first) >= available:
        first.truncate(available // 2)
    second.truncate(available - len(first))
    pair = tokenizer.post_process(first, second)
    return pair.ids, pair.type_ids


def _encode(tokenizer: Tokenizer, text: str) -> Encoding:
    return tokenizer.encode(readable(text), add_special_tokens=False)


def readable(text: str) -> str:
    """Lone surrogates, which no tokenizer reads, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class FileTokenCounter:
    """Of a `tokenizer.json`, or of a folder that holds one; the file is read on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path / "tokenizer.json" if path.is_dir() else path

    @property
    def name(self) -> str:
        return str(self._path)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(readable(text), add_special_tokens=False))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise ModelError(f"{self._path}: cannot be read: {error}") from error
        return load_tokenizer(str(self._path), text)
