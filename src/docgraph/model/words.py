"""Words: how texts and questions are cut into terms. The same on every store.

Identifiers count whole and in parts: `fetch_nodeTexts` gives `fetch_nodetexts`, `fetch`, `node`
and `texts`, so that both the exact name and its words find it.
"""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"A+(?!a)|A?a+|0+")


def words(text: str) -> list[str]:
    """Terms in order of appearance, folded; a compound is followed by its parts."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        found.append(word.casefold())
        if "_" in word or not (word.islower() or word.isupper() or word.istitle()):
            parts = [word[slice(*part.span())] for part in _PART.finditer(_shape(word))]
            if len(parts) > 1:
                found.extend(part.casefold() for part in parts)
    return found


def _shape(word: str) -> str:
    """The word with `A` for capitals, `a` for other letters, `0` for digits, in any script."""
    return "".join(
        "_" if c == "_" else "A" if c.isupper() else "0" if c.isdigit() else "a" for c in word
    )
