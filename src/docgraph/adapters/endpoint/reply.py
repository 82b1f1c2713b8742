"""A server's answer while it is read: block by block, with a limit to every wait."""

import http.client
import time
from collections.abc import Iterator

from docgraph.model.errors import ModelError

BLOCK = 64 * 1024


class Interrupted(ModelError):
    """The answer stopped in the middle; the message says how, and not where."""


class Dropped(Interrupted):
    """The server closed the connection, or ended without a word."""


class Reply:
    """`timeout` is the longest silence, `until` the moment at which it must have ended."""

    def __init__(
        self, response: http.client.HTTPResponse, *, timeout: float, until: float, patience: float
    ) -> None:
        self.status = response.status
        self.retry_after = response.getheader("Retry-After", "")
        self._response = response
        self._timeout = timeout
        self._until = until
        self._patience = patience

    def blocks(self) -> Iterator[bytes]:
        """As they arrive, none empty; what a caller does between them is not watched."""
        left = self._response.length
        while left != 0:
            block = self._next(BLOCK if left is None else min(BLOCK, left))
            if not block and left:
                raise Dropped("the connection was closed")
            if not block:
                return
            if left is not None:
                left -= len(block)
            yield block

    def start(self, most: int) -> bytes:
        """At most so many bytes, and the rest unread."""
        taken = bytearray()
        for block in self.blocks():
            taken += block
            if len(taken) >= most:
                break
        return bytes(taken[:most])

    def _next(self, most: int) -> bytes:
        if time.monotonic() > self._until:
            raise Interrupted(f"it did not end within {self._patience:g} seconds")
        try:
            return self._response.read1(most)
        except TimeoutError as error:
            raise Interrupted(f"nothing more came within {self._timeout:g} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            raise Dropped("the connection broke off") from error
