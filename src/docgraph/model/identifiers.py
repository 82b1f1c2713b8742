"""Names: how exact identifiers are compared, and which ones a question holds."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

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


def normalise_name(name: str) -> str:
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
            name = normalise_name(candidate)
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


# Path tails: the names by which a question that quotes a file's path may mean one of ours.


DEEPEST = 12  # folders of a quoted path that may be ours
_PATH = re.compile(r"(?<![\w.~+@:/\\-])[\w.~+@:-]*(?:[/\\]+[\w.~+@:-]+)+")
_BETWEEN = re.compile(r"[/\\]+")
_FILE = re.compile(r"(?P<stem>[^:]*[^.:])\.(?P<suffix>[A-Za-z]\w*)(?::.*|\.+)?")


def path_suffixes(question: str) -> tuple[str, ...]:
    """Normalised, in order of appearance, longest first, each once, none of one name alone.

    `/lib/pkg/m.py` may be `lib/pkg/m.py` or `pkg/m.py`, and the module `lib.pkg.m` or `pkg.m`.
    A path counts when it ends in a file with a suffix; a line number or an anchor is left off.
    """
    found = (
        normalise_name(tail) for match in _PATH.finditer(question) for tail in _tails(match[0])
    )
    return tuple(dict.fromkeys(found))


def _tails(path: str) -> Iterator[str]:
    *folders, last = _BETWEEN.split(path)
    file = _FILE.fullmatch(last)
    if file is None:
        return
    ours = [folder for folder in folders if folder.strip(".")][-DEEPEST:]
    for start in range(len(ours)):
        above = ours[start:]
        yield "/".join((*above, f"{file['stem']}.{file['suffix']}"))
        yield ".".join((*above, file["stem"]))


# Titles that a question names: which words of it could be one, and which of them win.


SHORTEST = 4
LONGEST = 10  # words in a title
MOST = 300  # spans that are looked up
NAMESAKES = 8  # a title that more visible documents bear names none of them

_WORD = re.compile(r"\w+")
Span = tuple[int, int]


def title_spans(question: str) -> dict[str, list[Span]]:
    """Whole words in a row that begin with a capital or a digit, and where each stands."""
    words = [match.span() for match in _WORD.finditer(question)]
    found: dict[str, list[Span]] = {}
    for at, (start, _) in enumerate(words):
        if not (question[start].isupper() or question[start].isdigit()):
            continue
        for _, end in words[at : at + LONGEST]:
            if end - start >= SHORTEST and (len(found) < MOST or question[start:end] in found):
                found.setdefault(question[start:end], []).append((start, end))
    return found


def titled_documents(
    places: dict[str, list[Span]], bearers: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """Documents with the title that names each: one that stands outside every longer one.

    `bearers` are (title, document), of those that the reader sees.
    """
    many = Counter(title for title, _ in bearers)
    taken = [place for title in many for place in places[title]]
    won = {
        title
        for title in many
        if many[title] <= NAMESAKES and any(_outside(place, taken) for place in places[title])
    }
    found: dict[str, str] = {}
    for title, document in bearers:
        if title in won:
            found.setdefault(document, title)
    return found


def _outside(place: Span, others: Sequence[Span]) -> bool:
    start, end = place
    return not any(
        begin <= start and end <= stop and (begin, stop) != place for begin, stop in others
    )
