"""The few words of ASGI that this door speaks itself."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


async def answer(send: Send, status: int, words: str, *headers: tuple[str, str]) -> None:
    body = f"{words}\n".encode()
    written = (
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", str(len(body))),
        *headers,
    )
    start = [(name.encode(), value.encode()) for name, value in written]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})


def headers_called(scope: Scope, name: str) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.decode() == name]


class TheyLeft(Exception):
    """Before all of what they wanted to say had come."""


async def whole_body(receive: Receive, most: int) -> bytes | None:
    """None if there is more of it. Raises TheyLeft."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise TheyLeft
        body += bytes(message.get("body", b""))
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return body


async def unless_they_leave(
    app: App, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Cancels what is done for a client once they have gone: nobody could hear the answer."""
    leaving = asyncio.ensure_future(_left(receive))
    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def heard() -> Message:
        for part in parts:
            return part
        await asyncio.shield(leaving)
        return {"type": "http.disconnect"}

    working = asyncio.ensure_future(app(scope, heard, send))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
