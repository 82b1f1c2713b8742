"""A chat server with scripted responses, and a client of it."""

from collections.abc import Iterator

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from tests.support.chat_endpoint import KEY, WHOLE, stream_answer
from tests.support.fakes import WordCounter
from tests.support.scripted_server import Server, serve_script


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(lambda body: stream_answer(*WHOLE)) as server:
        yield server


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def chat(server: Server, slept: list[float]) -> EndpointChat:
    return EndpointChat(
        server.base,
        "tiny",
        api_key=KEY,
        context_window=100,
        counter=WordCounter(),
        timeout=60,
        retries=3,
        sleep=slept.append,
    )
