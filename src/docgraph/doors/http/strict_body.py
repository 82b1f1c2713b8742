"""The body of a request: JSON, each key once, not too deep."""

import json
import re
from typing import Any

from fastapi import HTTPException
from starlette.requests import Request

DEEPEST = 32
# Never has to try again from elsewhere, whatever is sent: a string without an end ends the body.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{]|[\]}]")


class StrictRequest(Request):
    async def body(self) -> bytes:
        """A browser sends other types than JSON to strangers without asking them first."""
        body = await super().body()
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and kind != "application/json":
            raise HTTPException(415, "send JSON, and say so: Content-Type: application/json")
        return body

    async def json(self) -> Any:
        body = await self.body()
        _not_deep(body)
        try:
            return json.loads(body, object_pairs_hook=_once_each, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, f"the body is not JSON: {_words(error)}") from error


def _not_deep(body: bytes) -> None:
    """Before anything is built of it."""
    depth = 0
    for bracket in _BRACKETS.finditer(_STRINGS.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            raise HTTPException(400, f"the body is nested more than {DEEPEST} deep")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys one reader takes the first, another the last."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON's")


def _words(error: Exception) -> str:
    return str(error).partition(":")[0] if isinstance(error, ValueError) else "nested too deeply"
