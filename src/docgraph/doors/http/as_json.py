"""JSON as it leaves this door: what the command line prints with --json, in one line."""

import json

from docgraph.model.digest import plain


def as_json(value: object) -> bytes:
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()
