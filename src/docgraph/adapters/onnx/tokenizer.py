"""A tokenizer file, and the tokens of a text or of a pair as a model reads it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.model.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


def load_tokenizer(name: str, text: str) -> Tokenizer:
    """Neither pads nor truncates, whatever its file says."""
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
    encoding = _bare(tokenizer, text)
    encoding.truncate(max(0, longest - tokenizer.num_special_tokens_to_add(False)))
    ids: list[int] = tokenizer.post_process(encoding).ids
    return ids


def pair_tokens(
    tokenizer: Tokenizer, question: str, text: str, longest: int
) -> tuple[list[int], list[int]]:
    """What a cross-encoder reads: at most `longest` tokens, and which of the two each is of.

    The text is cut, and the question is not, unless it leaves no room for any text: then it is cut
    to half of the room.
    """
    room = longest - tokenizer.num_special_tokens_to_add(True)
    asked, read = _bare(tokenizer, question), _bare(tokenizer, text)
    if len(asked) >= room:
        asked.truncate(room // 2)
    read.truncate(room - len(asked))
    pair = tokenizer.post_process(asked, read)
    return pair.ids, pair.type_ids


def _bare(tokenizer: Tokenizer, text: str) -> Encoding:
    return tokenizer.encode(readable(text), add_special_tokens=False)


def readable(text: str) -> str:
    """Half a surrogate pair, which no tokenizer reads, counts as a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Counts tokens with any tokenizer file, as a model that runs elsewhere would.


class FileTokenCounter:
    """Of a `tokenizer.json`, or of a folder that holds one; read when first asked."""

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
