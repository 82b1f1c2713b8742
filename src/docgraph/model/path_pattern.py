"""Path patterns, read as a CODEOWNERS file reads them.

`*`, `?`, `[ab]` and `[!ab]` stay within one segment, `**` is any number of segments. A pattern
with a slash at its start or inside is anchored at the root; one without matches at any depth.
Whoever names a folder names all beneath it: `docs`, `/docs`, `docs/` and `docs/**` match
`docs/a/b.md`. The one exception is a last segment that is `*` alone: `docs/*` matches
`docs/a.md`, not `docs/a/b.md`. Both sides are compared in NFC, and case counts on every machine.
"""

import fnmatch
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

LONGEST = 1_000
_ANY = "**"
_PIECE = re.compile(r"(?s)\[!?+.[^]]*\]|[*?]|[^*?[]+")  # in brackets, a first `]` is itself
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Compiled:
    """Matches tidy paths; one without the `needle` need not be tried at all."""

    needle: str
    match: Callable[[str], object | None]


def matches(pattern: str, path: str) -> bool:
    return compiled(pattern).match(tidy(path)) is not None


def tidy(path: str) -> str:
    """`./a//b` and `c/../a/b` are `a/b`: no rule is passed by writing a path another way.

    Every segment ends with a slash, the last one too.
    """
    return posixpath.normpath("/" + unicodedata.normalize("NFC", path)).lstrip("/") + "/"


def problem_of(pattern: str) -> str | None:
    """What is wrong with a pattern that cannot be read."""
    if not pattern.strip():
        return "the pattern is empty"
    if len(pattern) > LONGEST:
        return f"a pattern takes at most {LONGEST:,} characters, this has {len(pattern):,}"
    if pattern != pattern.strip() or _CONTROL.search(pattern):
        return f"{pattern!r} has blanks around it, or control characters"
    if pattern.startswith("!"):
        return f"{pattern!r}: no pattern takes back another; a later line does"
    if "\\" in pattern:
        return f"{pattern!r}: a backslash means nothing here; `[*]` is an asterisk"
    named = unicodedata.normalize("NFC", pattern).removeprefix("/").removesuffix("/")
    wrong = next(filter(None, map(_wrong_segment, named.split("/"))), None)
    return f"{pattern!r}: {wrong}" if wrong else None


@lru_cache(maxsize=4_096)
def compiled(pattern: str) -> Compiled:
    """One that cannot be read is a ValueError. Who matches it often keeps it."""
    if wrong := problem_of(pattern):
        raise ValueError(wrong)
    written = unicodedata.normalize("NFC", pattern)
    names = written.strip("/").split("/")
    if "/" not in written.removesuffix("/"):
        names.insert(0, _ANY)
    beneath = written.endswith("/") or names[-1] == _ANY
    ends = names[-1] == "*" and not beneath
    while names and names[-1] == _ANY:
        names.pop()
    needle = max(
        (piece for name in names for piece in _PIECE.findall(name)), key=_weight, default=""
    )
    expression = re.compile("".join(_expression(names, beneath, ends)))
    return Compiled(needle if _weight(needle) else "", expression.match)


def _weight(piece: str) -> int:
    return 0 if piece[:1] in {"", "*", "?", "["} else len(piece)


def _expression(names: Sequence[str], beneath: bool, ends: bool) -> Iterator[str]:
    """What stands between two `**` is taken where it first fits: if any place does, that one does.

    So nothing in here goes back on a choice (`(?>`), and no pattern takes long on any path.
    """
    runs = ["".join(map(_segment, run)) for any_, run in groupby(names, _ANY.__eq__) if not any_]
    if names and names[0] != _ANY:
        yield runs.pop(0)
    last = runs.pop() if ends and runs else None
    for run in runs:
        yield f"(?>(?:[^/]++/)*?{run})"
    if last is not None:
        yield f"(?:[^/]++/)*?{last}"
    if ends:
        yield r"\Z"
    elif beneath:
        yield "[^/]"


def _segment(name: str) -> str:
    """Between two asterisks, too, what first fits is taken."""
    chunks = [""]
    for piece in _PIECE.findall(name):
        if piece == "*":
            chunks.append("")
        else:
            chunks[-1] += _piece(piece)
    first, *others = chunks
    if not others:
        return f"{first}/"
    *middle, last = others
    return f"(?>{first}{''.join(f'(?>[^/]*?{chunk})' for chunk in middle)}[^/]*{last}/)"


def _piece(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if piece[0] == "[":
        return "(?!/)" + fnmatch.translate(piece)[4:-3]  # bare of `(?s:` and `)\Z`
    return re.escape(piece)


def _wrong_segment(segment: str) -> str | None:
    if not segment:
        return "a segment is empty"
    if segment in {".", ".."}:
        return f"paths begin at the root and hold no {segment!r}"
    if _ANY in segment and segment != _ANY:
        return "`**` stands alone between slashes"
    return _wrong_brackets(_PIECE.findall(segment), segment)


def _wrong_brackets(pieces: Sequence[str], segment: str) -> str | None:
    if "".join(pieces) != segment:
        return "a `[` is not closed; `[[]` is a bracket"
    if any(piece.startswith("[^") for piece in pieces):
        return "write `[!` in place of `[^`"
    if any(_piece(piece).endswith("(?!)") for piece in pieces):
        return "a range in brackets holds nothing"
    return None
