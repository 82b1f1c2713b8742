"""Dotted names as they stand in code: `a.b.c` is the chain of `a`, `b` and `c`."""

import re

from docgraph.ingest.parse.code.meaning import Chain

LONGEST = 200
_CHAIN = re.compile(r"[^\W\d][\w$]*(?:\.#?[\w$]+)*|\$[\w$]*(?:\.#?[\w$]+)*")


def chain_of(text: str) -> Chain | None:
    """None for anything but names and dots, such as a call's result or a subscript."""
    if text.isidentifier():
        return (text,)
    flat = "".join(text.split()).replace("?.", ".")
    return tuple(flat.split(".")) if _CHAIN.fullmatch(flat) else None
