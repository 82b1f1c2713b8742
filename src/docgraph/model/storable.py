"""What no store takes: NUL, which ends a text for some, and halves of characters."""

import re

UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(*texts: str) -> bool:
    return not any(map(UNSTORABLE.search, texts))
