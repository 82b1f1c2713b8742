"""SQL lives in .sql files; a query is found there by its name."""

import re
from functools import cache
from importlib import resources
from typing import LiteralString

_HEADER = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def script(package: str, file: str) -> str:
    return (resources.files(package) / file).read_text(encoding="utf-8")


@cache
def named_queries(package: str, file: str) -> dict[str, LiteralString]:
    """Each query's text by name; a line `-- name: x` starts query x."""
    parts = _HEADER.split(script(package, file))
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))
