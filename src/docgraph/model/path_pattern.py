"""Path patterns, read as a CODEOWNERS file reads them.

`*`, `?`, `[ab]` and `[!ab]` stay within one segment, `**` is any number of segments. A pattern
with a slash at its start or inside is anchored at the root; one without matches at any depth.
A folder's pattern matches all beneath it: `docs`, `/docs`, `docs/` and `docs/**` match
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

MAX_PATTERN_CHARACTERS = 1_000
_ANY = "**"
_PIECE = re.compile(r"(?s)\[!?+.[^]]*\]|[*?]|[^*?[]+")  # in brackets, a first `]` is itself
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CompiledPattern:
    """Matches normalised paths; one without the `needle` need not be tried."""

    needle: str
    match: Callable[[str], object | None]


def matches(pattern: str, path: str) -> bool:
    return compile_pattern(pattern).match(normalise_path(path)) is not None


def normalise_path(path: str) -> str:
    """`./a//b` and `c/../a/b` are `a/b`, so that no spelling of a path evades a rule.

    Every segment ends with a slash, the last one too.
    """
    return posixpath.normpath("/" + unicodedata.normalize("NFC", path)).lstrip("/") + "/"


def find_pattern_problem(pattern: str) -> str | None:
    """What is wrong with a pattern; None if it is valid."""
    if not pattern.strip():
        return "the pattern is empty"
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        limit = f"a pattern takes at most {MAX_PATTERN_CHARACTERS:,} characters"
        return f"{limit}, this has {len(pattern):,}"
    if pattern != pattern.strip() or _CONTROL.search(pattern):
        return f"{pattern!r} has blanks around it, or control characters"
    if pattern.startswith("!"):
        return f"{pattern!r}: no pattern takes back another; a later line does"
    if "\\" in pattern:
        return f"{pattern!r}: a backslash means nothing here; `[*]` is an asterisk"
    segments = unicodedata.normalize("NFC", pattern).removeprefix("/").removesuffix("/").split("/")
    problem = next(filter(None, map(_segment_problem, segments)), None)
    return f"{pattern!r}: {problem}" if problem else None


@lru_cache(maxsize=4_096)
def compile_pattern(pattern: str) -> CompiledPattern:
    """An invalid pattern is a ValueError."""
    if problem := find_pattern_problem(pattern):
        raise ValueError(problem)
    normalised = unicodedata.normalize("NFC", pattern)
    names = normalised.strip("/").split("/")
    if "/" not in normalised.removesuffix("/"):
        names.insert(0, _ANY)
    beneath = normalised.endswith("/") or names[-1] == _ANY
    ends = names[-1] == "*" and not beneath
    while names and names[-1] == _ANY:
        names.pop()
    needle = max(
        (piece for name in names for piece in _PIECE.findall(name)), key=_weight, default=""
    )
    expression = re.compile("".join(_expression(names, beneath, ends)))
    return CompiledPattern(needle if _weight(needle) else "", expression.match)


def _weight(piece: str) -> int:
    return 0 if piece[:1] in {"", "*", "?", "["} else len(piece)


def _expression(names: Sequence[str], beneath: bool, ends: bool) -> Iterator[str]:
    """The segments between two `**` match at the first position that fits, which is enough.

    So groups are atomic (`(?>`), without backtracking, and matching takes linear time.
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
    """Between two asterisks, too, the first match is taken."""
    literals = [""]
    for piece in _PIECE.findall(name):
        if piece == "*":
            literals.append("")
        else:
            literals[-1] += _piece(piece)
    first, *others = literals
    if not others:
        return f"{first}/"
    *middle, last = others
    return f"(?>{first}{''.join(f'(?>[^/]*?{literal})' for literal in middle)}[^/]*{last}/)"


def _piece(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if piece[0] == "[":
        return "(?!/)" + fnmatch.translate(piece)[4:-3]  # without `(?s:` and `)\Z`
    return re.escape(piece)


def _segment_problem(segment: str) -> str | None:
    if not segment:
        return "a segment is empty"
    if segment in {".", ".."}:
        return f"paths begin at the root and hold no {segment!r}"
    if _ANY in segment and segment != _ANY:
        return "`**` stands alone between slashes"
    return _bracket_problem(_PIECE.findall(segment), segment)


def _bracket_problem(pieces: Sequence[str], segment: str) -> str | None:
    if "".join(pieces) != segment:
        return "a `[` is not closed; `[[]` is a bracket"
    if any(piece.startswith("[^") for piece in pieces):
        return "write `[!` in place of `[^`"
    if any(_piece(piece).endswith("(?!)") for piece in pieces):
        return "a range in brackets holds nothing"
    return None
