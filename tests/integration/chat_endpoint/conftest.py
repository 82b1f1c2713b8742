"""A chat server that answers by script, and a model behind it."""

from collections.abc import Iterator

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from tests.support.chat_endpoint import KEY, WHOLE, streamed
from tests.support.scripted_server import Server, serving
from tests.support.stand_ins import CountsWords


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda body: streamed(*WHOLE)) as server:
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
        window=100,
        counter=CountsWords(),
        timeout=5,
        retries=3,
        sleep=slept.append,
    )
