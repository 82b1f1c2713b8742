"""Words: how texts and questions are cut into terms. The same on every store.

Identifiers count whole and in parts: `fetch_nodeTexts` gives `fetch_nodetexts`, `fetch`, `node`
and `texts`, so that both the exact name and its words find it.
"""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def words(text: str) -> list[str]:
    """Terms in order of appearance, folded; a compound is followed by its parts."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        found.append(word.casefold())
        if "_" in word or not (word.islower() or word.isupper() or word.istitle()):
            parts = [part.casefold() for part in _PART.findall(word)]
            if len(parts) > 1:
                found.extend(parts)
    return found
