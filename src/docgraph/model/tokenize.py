"""Tokenization: how texts and questions are split into terms, on every store alike.

Identifiers count whole and in parts: `fetch_nodeTexts` gives `fetch_nodetexts`, `fetch`, `node`
and `texts`, so that both the exact name and its words find it.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import chain

_RUN = re.compile(r"\w+")
_PART = re.compile(r"A+(?!a)|A?a+|0+")
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# To blank out and split is twice as fast as to search.
_ASCII_BLANKED = "".join(c if c.isalnum() or c == "_" else " " for c in map(chr, range(128)))


def tokenize(text: str) -> list[str]:
    """Terms in order of appearance, in lower case; a compound is followed by its parts."""
    return list(chain.from_iterable(map(_cached_terms, word_runs(text))))


def word_runs(text: str) -> list[str]:
    """Runs of letters, digits and `_`, unchanged; `run_terms` makes terms of a run."""
    if text.isascii():
        return text.translate(_ASCII_BLANKED).split()
    return _RUN.findall(unicodedata.normalize("NFKC", text))


def run_terms(run: str) -> tuple[str, ...]:
    """The terms of one run: itself in lower case, then its parts if it is a compound."""
    word = run.strip("_")
    if not word:
        return ()
    whole = word.casefold()
    if "_" not in word and (word.islower() or word.isupper() or word.istitle()):
        return (whole,)
    parts = _ASCII_PART.findall(word) if word.isascii() else _parts(word)
    return (whole, *(part.casefold() for part in parts)) if len(parts) > 1 else (whole,)


_cached_terms = lru_cache(maxsize=2**14)(run_terms)  # most words of a text are the same few


def _parts(word: str) -> list[str]:
    return [word[slice(*part.span())] for part in _PART.finditer(_shape(word))]


def _shape(word: str) -> str:
    """The word with `A` for capitals, `a` for other letters, `0` for digits, in any script."""
    return "".join(
        "_" if c == "_" else "A" if c.isupper() else "0" if c.isdigit() else "a" for c in word
    )
