"""What a question names exactly: identifiers, paths and titles."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

NUMBERED_SERIES = ("ADR", "BIP", "DEP", "EIP", "JEP", "KEP", "NEP", "PEP", "RFC", "XEP")

_JOINT = re.compile(r"(?<=[^\W\d_])[-_ ]+(?=\d)")
_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_SPACES = re.compile(r"\s+")
_SPACE_OR_DIGIT = re.compile(r"[\s\d]")
_SCAN = re.compile(
    r"(?<!`)`+(?P<quoted>[^`\n]+)`+"  # tried once for a run of backticks
    rf"|(?<!\w)(?P<numbered>(?:[A-Z]{{2,}}|(?i:{'|'.join(NUMBERED_SERIES)}))[ ]+\d+)(?!\w)"
    r"|(?P<token>[\w.~/][\w.~/:#-]*)"
)
_CAPITALS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_LETTERS_DIGITS = re.compile(r"[^\W\d_]+-?\d[\w-]*|\d+-[\d_-]*+[^\W\d_][\w-]*")
_LETTER = re.compile(r"[^\W\d_]")


def normalise_name(name: str) -> str:
    """One spelling for names that people write alike: `pep-0484`, `PEP 484` and `Pep484`.

    Normalising twice changes nothing, so a stored name may be normalised again.
    """
    folded = name.casefold() if name.isascii() else _fold_case(name)
    if not _SPACE_OR_DIGIT.search(folded):
        return folded
    joined = _JOINT.sub("", _SPACES.sub(" ", folded).strip())
    return _ZEROS.sub("", joined)


def _fold_case(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def identifiers(question: str) -> tuple[str, ...]:
    """Normalised candidates in order of appearance, each once.

    Plain words count in backticks only; a token counts by its shape: `_`, inner `.`, `/`, `::`
    or `#`, inner capitals, letters with digits, or a numbered family such as `PEP 484`.
    """
    candidates = (one for match in _SCAN.finditer(question) for one in _candidates(match))
    return tuple(dict.fromkeys(filter(None, map(normalise_name, candidates))))


def _candidates(match: re.Match[str]) -> tuple[str, ...]:
    if match["quoted"] is not None:
        return _quoted(match["quoted"])
    if match["numbered"] is not None:
        return (match["numbered"],)
    token = match["token"].rstrip(".:#-~").removeprefix("./")
    return (token,) if looks_like_identifier(token) else ()


def _quoted(content: str) -> tuple[str, ...]:
    """The quoted name without call brackets, then the identifiers inside a longer quotation."""
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


# Paths: a path in a question may begin above the repository's root, so its suffixes count.


MAX_FOLDERS = 12  # of a quoted path
_PATH = re.compile(r"(?<![\w.~+@:/\\-])[\w.~+@:-]*(?:[/\\]+[\w.~+@:-]+)+")
_BETWEEN = re.compile(r"[/\\]+")
_FILE = re.compile(r"(?P<stem>[^:]*[^.:])\.(?P<suffix>[A-Za-z]\w*)(?::.*|\.+)?")


def path_suffixes(question: str) -> tuple[str, ...]:
    """Normalised, in order of appearance, longest first, each once, none of one name alone.

    `/lib/pkg/m.py` may be `lib/pkg/m.py` or `pkg/m.py`, and the module `lib.pkg.m` or `pkg.m`.
    A path counts when it ends in a file with a suffix; a line number or an anchor is left off.
    """
    paths = (match[0] for match in _PATH.finditer(question))
    return tuple(dict.fromkeys(normalise_name(one) for path in paths for one in _suffixes(path)))


def _suffixes(path: str) -> Iterator[str]:
    *folders, last = _BETWEEN.split(path)
    file = _FILE.fullmatch(last)
    if file is None:
        return
    named = [folder for folder in folders if folder.strip(".")][-MAX_FOLDERS:]
    for start in range(len(named)):
        parents = named[start:]
        yield "/".join((*parents, f"{file['stem']}.{file['suffix']}"))
        yield ".".join((*parents, file["stem"]))


# Titles of documents that occur in a question.


MIN_TITLE_CHARACTERS = 4
MAX_TITLE_WORDS = 10
MAX_SPANS = 300  # that are looked up
MAX_TITLE_HOLDERS = 8  # a title of more visible documents names none of them

_WORD = re.compile(r"\w+")
Span = tuple[int, int]


def title_spans(question: str) -> dict[str, list[Span]]:
    """Runs of whole words that begin with a capital or a digit, with their positions."""
    words = [match.span() for match in _WORD.finditer(question)]
    spans: dict[str, list[Span]] = {}
    for at, (start, _) in enumerate(words):
        if not (question[start].isupper() or question[start].isdigit()):
            continue
        for _, end in words[at : at + MAX_TITLE_WORDS]:
            words_between = question[start:end]
            is_new = words_between not in spans
            if end - start >= MIN_TITLE_CHARACTERS and (len(spans) < MAX_SPANS or not is_new):
                spans.setdefault(words_between, []).append((start, end))
    return spans


def titled_documents(
    spans: dict[str, list[Span]], holders: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """Documents with the title that names each; a title inside a longer one does not count.

    `holders` are the visible documents with such a title, as (title, document).
    """
    counts = Counter(title for title, _ in holders)
    longest = _longest(span for title in counts for span in spans[title])
    naming = {
        title
        for title, count in counts.items()
        if count <= MAX_TITLE_HOLDERS and not longest.isdisjoint(spans[title])
    }
    documents: dict[str, str] = {}
    for title, document in holders:
        if title in naming:
            documents.setdefault(document, title)
    return documents


def _longest(spans: Iterable[Span]) -> set[Span]:
    """Those that are inside no other."""
    longest: set[Span] = set()
    end = -1
    for span in sorted(spans, key=lambda one: (one[0], -one[1])):
        if span[1] > end:
            longest.add(span)
            end = span[1]
    return longest
