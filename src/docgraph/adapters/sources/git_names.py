"""Names of branches, tags and commits in the plain form; git knows many more, some of them dear."""

import re

from docgraph.model.errors import BadInput

_CHARACTERS = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]{1,255}")
_NEVER = ("..", "//", "/.", "@{")


def check_plain_name(ref: str) -> None:
    """What git lets a branch be called; HEAD and the digits of a commit's id are of that form."""
    plain = (
        _CHARACTERS.fullmatch(ref) is not None
        and ref.isprintable()
        and ref != "@"
        and not ref.startswith(("-", ".", "/"))
        and not ref.endswith((".", "/", ".lock"))
        and not any(part in ref for part in _NEVER)
    )
    if not plain:
        fits = "what fits is a branch, a tag, HEAD, or 4 to 64 digits of a commit's id"
        raise BadInput(f"{ref!r} is no plain name; {fits}")
