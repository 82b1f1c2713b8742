"""Concurrent clients: each has a connection of its own, and sends one request after another."""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

MAX_ANSWER_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """One request: who asks what, by which address."""

    address: str
    reader: str
    question: str


@dataclass(frozen=True, slots=True)
class ClientResponse:
    """`sent` and `seconds` by the clock of this machine; status 0: the line broke off."""

    request: ClientRequest
    sent: float
    seconds: float
    status: int
    snapshot: int
    digest: str


class Client:
    """Keeps its connection, unless it is not `lasting`: then each request has one of its own."""

    def __init__(self, port: int, keys: dict[str, str], *, lasting: bool = True) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=MAX_ANSWER_SECONDS)
        self._keys = keys
        self._lasting = lasting

    def close(self) -> None:
        self._line.close()

    def again(self) -> "Client":
        """Another one of the same server."""
        return Client(self._line.port, self._keys, lasting=self._lasting)

    def ask(self, request: ClientRequest) -> ClientResponse:
        sent = time.monotonic()
        try:
            status, body = self.post(
                request.address, {"question": request.question}, request.reader
            )
        except (OSError, http.client.HTTPException):
            self._line.close()
            return ClientResponse(request, sent, time.monotonic() - sent, 0, 0, "")
        spent = time.monotonic() - sent
        if status != http.HTTPStatus.OK:
            return ClientResponse(request, sent, spent, status, 0, json.dumps(body)[:200])
        return ClientResponse(request, sent, spent, status, *_parse_body(body))

    def post(self, address: str, body: object, reader: str) -> tuple[int, Any]:
        self._line.request("POST", address, json.dumps(body), self._headers(reader))
        return self._read()

    def get(self, address: str, reader: str) -> tuple[int, Any]:
        self._line.request("GET", address, headers=self._headers(reader))
        return self._read()

    def _headers(self, reader: str) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Authorization": f"Bearer {self._keys[reader]}",
        }

    def _read(self) -> tuple[int, Any]:
        response = self._line.getresponse()
        found = json.loads(response.read())
        if not self._lasting:
            self._line.close()
        return response.status, found


def _parse_body(body: Any) -> tuple[int, str]:
    """The snapshot that was asked, and the digests of all that came of it."""
    scope = body["snapshots"] if "plan" in body else body["scope"]
    numbers = {name["snapshot"] for name in scope}
    digests = [body["digest"]] if "plan" in body else [body["plan_digest"], body["digest"]]
    return (numbers.pop() if len(numbers) == 1 else -1), " ".join(digests)


def run_clients(
    clients: Sequence[Client],
    request: Sequence[ClientRequest],
    going_on: Callable[[], bool],
    *,
    stop_at_break: bool = True,
) -> list[ClientResponse]:
    """Everyone asks everything, over and over, each from a place of their own.

    Whose line breaks off leaves, if that is how it is to be.
    """
    responses: list[list[ClientResponse]] = [[] for _ in clients]

    def ask(number: int) -> None:
        start = number * len(request) // len(clients)
        for one in _round(request, start):
            if not going_on():
                return
            responses[number].append(clients[number].ask(one))
            if stop_at_break and responses[number][-1].status == 0:
                return

    threads = [Thread(target=ask, args=(number,)) for number in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answer for answers in responses for answer in answers]


def _round(request: Sequence[ClientRequest], start: int) -> Iterator[ClientRequest]:
    at = start
    while True:
        yield request[at % len(request)]
        at += 1
