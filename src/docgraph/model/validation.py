"""Validation of names and texts, and suggestions for unknown names."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

from docgraph.model.access import EVERYONE
from docgraph.model.errors import BadInput

MAX_NAME_CHARACTERS = 200
MAX_LISTED = 50  # known names in a message
MAX_COMPARED = 1_000  # paths that are compared with an unknown one
MAX_COMPARED_CHARACTERS = 200  # of a name; no longer one is compared
MAX_COMPARISONS = 1_000_000  # of two characters, for one suggestion
_CLOSE = 0.6  # a ratio of SequenceMatcher


def check_names(names: Sequence[str]) -> None:
    """Names of groups, labels, people and tenants: one that looks like another is refused."""
    for name in names:
        if (
            name != " ".join(name.split())
            or not name.isprintable()
            or len(name) > MAX_NAME_CHARACTERS
        ):
            raise BadInput(f"{name!r} cannot be a name: no blanks around it, one at most within")
        if not name:
            raise BadInput("a name is empty")
        if name != EVERYONE and (name.casefold() == EVERYONE or not name.strip("*")):
            raise BadInput(f"{name!r}: write `{EVERYONE}`")


UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # NUL and surrogates: not every store accepts them


def escape_unstorable(text: str) -> str:
    """Replaces NUL and lone surrogates, which file names may contain, with backslash escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def is_storable(*texts: str) -> bool:
    return not any(map(UNSTORABLE.search, texts))


def suggest(name: str, known: Collection[str]) -> str:
    """The closest known name, or the first of them when none is close."""
    close = _closest(name, known)
    if close is not None:
        return f"did you mean {close!r}?"
    more = f" and {len(known) - MAX_LISTED} more" if len(known) > MAX_LISTED else ""
    return f"known: {', '.join(islice(known, MAX_LISTED)) or 'none'}{more}"


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """The first known name that is close to it, in capitals or not."""
    folded = {one.casefold(): one for one in sorted(known, reverse=True)}
    close = _closest(name.casefold(), folded)
    return None if close is None else folded[close]


def closest_path(path: str, known: Iterable[str]) -> str | None:
    """A file of the same folder whose name, without its suffix, is close to it; else one of its
    name elsewhere."""
    folder, _, name = path.rpartition("/")
    inside: dict[str, list[str]] = {}
    elsewhere: list[str] = []
    compared = 0
    for one in sorted(known):
        its_folder, _, its_name = one.rpartition("/")
        if its_folder == folder and compared < MAX_COMPARED:
            inside.setdefault(_without_suffix(its_name), []).append(one)
            compared += 1
        elif its_name == name and len(elsewhere) < MAX_COMPARED:
            elsewhere.append(one)
    close = closest_name(_without_suffix(name), inside)
    fitting = elsewhere if close is None else inside[close]
    return _closest(path, fitting, cutoff=0.0) or next(iter(fitting), None)


def _without_suffix(name: str) -> str:
    """What all names of a kind of file end with says nothing of how close two names are."""
    return name.rpartition(".")[0] or name


def _closest(name: str, known: Iterable[str], *, cutoff: float = _CLOSE) -> str | None:
    comparable = _limit_comparisons(name, known, cutoff)
    return next(iter(get_close_matches(name, comparable, n=1, cutoff=cutoff)), None)


def _limit_comparisons(name: str, known: Iterable[str], cutoff: float) -> Iterator[str]:
    """Names that may be close, as long as comparing them is little work: it grows with the product
    of two lengths."""
    if len(name) > MAX_COMPARED_CHARACTERS:
        return
    matcher = SequenceMatcher(b=name)
    left = MAX_COMPARISONS
    for one in known:
        matcher.set_seq1(one)
        if (
            len(one) <= MAX_COMPARED_CHARACTERS
            and matcher.real_quick_ratio() >= cutoff
            and matcher.quick_ratio() >= cutoff
        ):
            left -= len(name) * len(one)
            if left < 0:
                return
            yield one
