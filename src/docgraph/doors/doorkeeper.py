"""The doorkeeper: asks who comes, in threads of its own: a slow issuer holds up nobody inside."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from docgraph.doors.workers import Workers
from docgraph.model.access import Principal
from docgraph.model.errors import NotKnown

THREADS, WAITING = 8, 512


class KnowsWho(Protocol):
    """What of `doors.login` a door needs."""

    @property
    def open_to_local(self) -> bool: ...

    def who(self, authorization: str | None) -> Principal: ...


class Doorkeeper:
    """Where nobody logs in there is nothing to wait for. Beyond what may wait: TooBusy."""

    def __init__(self, login: KnowsWho, threads: int = THREADS, waiting: int = WAITING) -> None:
        self._login = login
        self._workers = None if login.open_to_local else Workers("login", threads, waiting)

    async def who(self, shown: Sequence[str]) -> Principal:
        """By the one header for it: of two, a proxy in front of us may have checked the other."""
        if len(shown) > 1:
            raise NotKnown("more than one Authorization header")
        credential = shown[0] if shown else None
        if self._workers is None:
            return self._login.who(credential)
        asked = self._workers.submit(lambda: self._login.who(credential), None)
        return await asyncio.wrap_future(asked)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """To be entered while anybody may come."""
        try:
            yield
        finally:
            if self._workers is not None:
                self._workers.close(0)
