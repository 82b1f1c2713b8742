"""No request may be longer than it may, whether or not it says how long it is."""

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docgraph.doors.http.problem import problem


class TooMuch(HTTPException):
    """Where nobody has begun to answer, it becomes a problem."""


class Bounded:
    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        words = f"a request takes at most {self._most} bytes"
        told = Headers(scope=scope).get("content-length", "0")
        if not told.isdecimal() or len(told) > 20 or int(told) > self._most:
            await problem(413, words)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise TooMuch(413, words)
            return message

        await self._app(scope, counted, send)
