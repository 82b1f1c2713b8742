"""A definition's head in one line."""

import re

_LONGEST = 300
LONGEST_HEAD = 3_000
_ATTRIBUTES = re.compile(
    r"(?:@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s*|\[(?:[^\[\]]|\[[^\]]*\])*\]\s+)+"
)


def signature(head: str) -> str:
    """Without annotations and without what leads over to the body."""
    flat = " ".join(head.split())
    if flat.startswith(("@", "[")):
        flat = _ATTRIBUTES.sub("", flat, count=1)
    flat = flat.rstrip(" :{;=").removesuffix("=>").rstrip(" =")
    flat = flat.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
