"""The granite tokenizer's byte pairs, in Python: ready in a tenth of the time of the library.

For a question and the words of a context, of the commonest characters; all else, and many texts at
once, are the library's.
"""

import json
import re
from functools import cache
from itertools import pairwise

LONGEST_PART = 64  # characters; merging takes quadratic time
# Here the class of each is known, since Python's classes are those of another Unicode than the
# tokenizer's: Latin, Greek, Cyrillic, Japanese, Chinese and Korean letters, their punctuation,
# arrows, mathematics and frames.
_LETTERS = (
    "A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0391-\u03a1\u03a3-\u03ce\u0400-\u0481"
    "\u048a-\u0527\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3"
)
_NUMBERS = "0-9\xb2\xb3\xb9\xbc-\xbe"
_OTHERS = (
    "\xa1-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2010-\u2027\u2030-\u205e\u20a0-\u20b5"
    "\u2190-\u23e7\u2500-\u26ff\u2701-\u2767\u3001-\u3003\u3008-\u3011\uff01-\uff0f"
)
_PART = (
    r"(?a:'(?:[stmd]|re|ve|ll)| ?(?:[{letters}]+|[{numbers}]+|[^\s{letters}{numbers}]+)"
    r"|\s+(?!\S)|\s+)"
)
ASCII_PART = re.compile(_PART.format(letters="A-Za-z", numbers="0-9"))
_SPECIAL = re.compile(r"</?s>|<(?:pad|unk|mask)>")
_VISIBLE = frozenset((*range(33, 127), *range(161, 173), *range(174, 256)))
# GPT-2's letters for bytes: a visible character stands for itself, a space is Ġ.
AS_LETTERS = dict(zip(sorted(set(range(256)) - _VISIBLE), range(256, 512), strict=False))


@cache
def _wide() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Texts of known characters, and their parts. Compiled when first
    needed: most questions are ASCII."""
    known = re.compile(rf"[\x00-\x7f{_LETTERS}{_NUMBERS}{_OTHERS}]*")
    return known, re.compile(_PART.format(letters=_LETTERS, numbers=_NUMBERS))


def has_parts(text: str) -> bool:
    """Whether `parts_of` splits this text as the tokenizer does: its characters are known, and it
    holds no special token."""
    if "<" in text and _SPECIAL.search(text):
        return False
    return text.isascii() or _wide()[0].fullmatch(text) is not None


def parts_of(text: str) -> list[str]:
    """By the tokenizer's own expression; merges do not leave a part."""
    expression = ASCII_PART if text.isascii() else _wide()[1]
    return expression.findall(text)


def letters_of(part: str) -> str:
    encoded = part if part.isascii() else part.encode().decode("latin-1")
    return encoded.translate(AS_LETTERS)


class BytePairs:
    """Of the pack's `tokenizer.json`, which has no space between values."""

    def __init__(self, data: bytes) -> None:
        vocabulary, merges = (data.index(key) for key in (b'"vocab":', b'"merges":'))
        names: list[str] = json.loads(data[merges + len(b'"merges":') : data.rindex(b"}}")])
        self._ranks = dict(zip(names, range(len(names)), strict=True))
        self._vocabulary = b"," + data[vocabulary + len(b'"vocab":{') : merges]
        self._ids: dict[str, int] = {}

    def ids(self, text: str) -> list[int]:
        """Of a text that `has_parts`, without special tokens."""
        return [self.id_of(token) for part in parts_of(text) for token in self.tokens(part)]

    def tokens(self, part: str) -> list[str]:
        """Of one part: what training merged first is merged first."""
        ranks, none = self._ranks, len(self._ranks)
        tokens = list(letters_of(part))
        pairs = [ranks.get(f"{one} {other}", none) for one, other in pairwise(tokens)]
        while pairs and (first := min(pairs)) < none:
            at = pairs.index(first)
            tokens[at] += tokens.pop(at + 1)
            del pairs[at]
            if at:
                pairs[at - 1] = ranks.get(f"{tokens[at - 1]} {tokens[at]}", none)
            if at < len(pairs):
                pairs[at] = ranks.get(f"{tokens[at]} {tokens[at + 1]}", none)
        return tokens

    def id_of(self, token: str) -> int:
        """Searched for: a question has few tokens, parsing all takes longer."""
        if token not in self._ids:
            key = f",{json.dumps(token, ensure_ascii=False)}:".encode()
            at = self._vocabulary.index(key) + len(key)
            self._ids[token] = int(self._vocabulary[at : at + 6].partition(b",")[0].rstrip(b"}"))
        return self._ids[token]
