"""Why a file cannot be used, in the same words for every source."""

from docgraph.ports.source import Problem

MAX_BYTES = 10_000_000
LEADS_NOWHERE = "a link that leads nowhere"
LEADS_OUT = "a link that leads out of the folder is not followed"
NOT_REGULAR = "not a regular file"
CHANGED = "became a link or something else while it was read, and is not followed"


def too_large(path: str, size: int, limit: int) -> Problem:
    return Problem(path, f"{size:,} bytes is over the limit of {limit:,}; --max-bytes raises it")


def bad_name(name: str) -> Problem | None:
    """A name was decoded with surrogates in place of the bytes that are not UTF-8."""
    if name.encode("utf-8", "replace").decode() == name:
        return None
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Problem(shown, "its name is not valid UTF-8")
