"""The address of a node: `docgraph://node/` and its id, percent-encoded whole.

It holds for as long as the id does, and `fetch` opens it. No id begins like it: a path does not
begin with a slash.
"""

from urllib.parse import quote, unquote

FRONT = "docgraph://node/"


def url_of(node: str) -> str:
    return FRONT + quote(node, safe="")


def id_of(written: str) -> str:
    """Of an address or of an id itself. What decodes to no text is no address."""
    if not written.startswith(FRONT):
        return written
    return unquote(written.removeprefix(FRONT), errors="replace")
