"""A tokenizer file, and the tokens of a text, alone or as a model reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docgraph.model.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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
    encoding = tokenizer.encode(readable(text), add_special_tokens=False)
    encoding.truncate(max(0, longest - tokenizer.num_special_tokens_to_add(False)))
    ids: list[int] = tokenizer.post_process(encoding).ids
    return ids


def readable(text: str) -> str:
    """Half a surrogate pair, which no tokenizer reads, counts as a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
