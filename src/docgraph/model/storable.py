"""What no store takes: NUL, which ends a text for some, and halves of characters."""

import re

UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def spelt_out(text: str) -> str:
    """Half a surrogate pair, as a file name may hold, and NUL, as they are written in code."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def storable(*texts: str) -> bool:
    return not any(map(UNSTORABLE.search, texts))
