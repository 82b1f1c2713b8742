"""Names: how exact identifiers are compared, and which ones a question holds."""

import re
import unicodedata

FAMILIES = ("ADR", "BIP", "DEP", "EIP", "JEP", "KEP", "NEP", "PEP", "RFC", "XEP")

_JOINT = re.compile(r"(?<=[^\W\d_])[-_ ]+(?=\d)")
_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_SPACES = re.compile(r"\s+")
_SPACE_OR_DIGIT = re.compile(r"[\s\d]")
_SCAN = re.compile(
    r"`+(?P<quoted>[^`\n]+)`+"
    rf"|(?<!\w)(?P<numbered>(?:[A-Z]{{2,}}|(?i:{'|'.join(FAMILIES)}))[ ]+\d+)(?!\w)"
    r"|(?P<token>[\w.~/][\w.~/:#-]*)"
)
_CAPITALS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}")
_LETTERS_DIGITS = re.compile(r"[^\W\d_]+-?\d[\w-]*|\d+-[\w-]*[^\W\d_][\w-]*")
_LETTER = re.compile(r"[^\W\d_]")


def normalised(name: str) -> str:
    """One spelling for names that people write alike: `pep-0484`, `PEP 484` and `Pep484`.

    Normalising twice changes nothing, so a stored name may be normalised again.
    """
    folded = name.casefold() if name.isascii() else _folded(name)
    if not _SPACE_OR_DIGIT.search(folded):
        return folded
    joined = _JOINT.sub("", _SPACES.sub(" ", folded).strip())
    return _ZEROS.sub("", joined)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def identifiers(question: str) -> tuple[str, ...]:
    """Normalised candidates in order of appearance, each once.

    Plain words count in backticks only; a token counts by its shape: `_`, inner `.`, `/`, `::`
    or `#`, inner capitals, letters with digits, or a numbered family such as `PEP 484`.
    """
    found: dict[str, None] = {}
    for match in _SCAN.finditer(question):
        for candidate in _candidates(match):
            name = normalised(candidate)
            if name:
                found[name] = None
    return tuple(found)


def _candidates(match: re.Match[str]) -> tuple[str, ...]:
    if match["quoted"] is not None:
        return _quoted(match["quoted"])
    if match["numbered"] is not None:
        return (match["numbered"],)
    token = match["token"].rstrip(".:#-~").removeprefix("./")
    return (token,) if looks_like_identifier(token) else ()


def _quoted(content: str) -> tuple[str, ...]:
    """The quoted name itself without call brackets, then what is inside a longer quotation."""
    whole = content.strip().partition("(")[0].strip() or content.strip()
    return (whole, *identifiers(content)) if _SPACES.search(content.strip()) else (whole,)


def looks_like_identifier(token: str) -> bool:
    if not _LETTER.search(token):
        return False
    inner = token.strip("./:#")
    return (
        "_" in token
        or "::" in inner
        or "/" in inner
        or "#" in inner
        or _dotted(inner)
        or _CAPITALS.search(token) is not None
        or _LETTERS_DIGITS.fullmatch(token) is not None
    )


def _dotted(token: str) -> bool:
    """`store.py` and `a.b.C`, but neither `e.g` nor `3.11`."""
    parts = token.split(".")
    return len(parts) > 1 and all(parts) and any(len(part) > 1 for part in parts)
