"""Names of groups, labels, people and tenants: what looks like another name is refused."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from docgraph.model.access import EVERYONE
from docgraph.model.errors import BadInput

LONGEST_NAME = 200


def check_names(names: Sequence[str]) -> None:
    for name in names:
        if name != " ".join(name.split()) or not name.isprintable() or len(name) > LONGEST_NAME:
            raise BadInput(f"{name!r} cannot be a name: no blanks around it, one at most within")
        if not name:
            raise BadInput("a name is empty")
        if name != EVERYONE and (name.casefold() == EVERYONE or not name.strip("*")):
            raise BadInput(f"{name!r}: write `{EVERYONE}`")


# What no store takes: NUL, which ends a text for some, and halves of characters.


UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def escape_unstorable(text: str) -> str:
    """Half a surrogate pair, as a file name may hold, and NUL, as they are written in code."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def is_storable(*texts: str) -> bool:
    return not any(map(UNSTORABLE.search, texts))


# Saying what would fit in place of an unknown name.


def suggest(name: str, known: Collection[str]) -> str:
    """The closest known name, or all of them when none is close."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
