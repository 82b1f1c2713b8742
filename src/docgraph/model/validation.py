"""Validation of names and texts, and suggestions for unknown names."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from docgraph.model.access import EVERYONE
from docgraph.model.errors import BadInput

MAX_NAME_CHARACTERS = 200


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
    """The closest known name, or all of them when none is close."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
