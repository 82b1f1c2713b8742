"""A real server with a real model, small as it is, keeps what the scripted one promises."""

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.adapters.endpoint.http_client import EndpointClient
from docgraph.adapters.onnx.granite import GraniteTokenCounter
from docgraph.model.errors import ModelError
from docgraph.ports.models import ChatReply, Message, Sampling
from tests.llm.model_server import WINDOW

ASKED = (
    Message("system", "You answer in one short sentence."),
    Message("user", "What colour is the sky on a clear day?"),
)


@pytest.fixture
def chat(base: str) -> EndpointChat:
    return EndpointChat(
        base, "smollm2", context_window=WINDOW, counter=GraniteTokenCounter(), timeout=60
    )


def say(chat: EndpointChat, max_tokens: int = 40, seed: int = 7) -> tuple[list[str], ChatReply]:
    pieces: list[str] = []
    said = chat.complete(ASKED, max_tokens=max_tokens, seed=seed, on_text=pieces.append)
    return pieces, said


@pytest.mark.requirement(45)
def test_an_answer_is_streamed(chat: EndpointChat) -> None:
    pieces, said = say(chat)
    assert len(pieces) > 3
    assert said.text == "".join(pieces)
    assert "blue" in said.text.lower()
    assert (said.finish, said.sampling) == ("stop", Sampling(0.0, 7))


def test_the_same_question_and_seed_give_the_same_answer(chat: EndpointChat) -> None:
    """Whatever was asked in between, and is still in the server's memory."""
    first = say(chat)
    other = chat.complete(
        (Message("user", "Count to ten."),), max_tokens=9, seed=1, on_text=lambda _: None
    )
    assert say(chat) == first
    assert other.text != first[1].text


def test_an_answer_that_is_cut_off_says_so(chat: EndpointChat) -> None:
    pieces, said = say(chat, max_tokens=3)
    assert said.finish == "length"
    assert 1 <= len(pieces) <= 3


def test_a_prompt_that_is_too_long_is_refused_with_a_message(chat: EndpointChat) -> None:
    long = (Message("user", "one word after another " * WINDOW),)
    assert chat.count(long[0].content) > WINDOW
    with pytest.raises(ModelError, match=rf"answered 400: .*maximum context length is {WINDOW}"):
        chat.complete(long, max_tokens=5, seed=0, on_text=lambda _: None)
    assert say(chat, max_tokens=3)[0]  # and the server is there as before


def test_who_stops_listening_leaves_the_server_to_others(chat: EndpointChat) -> None:
    def gone(piece: str) -> None:
        raise BrokenPipeError(piece)

    with pytest.raises(BrokenPipeError):
        chat.complete(ASKED, max_tokens=200, seed=7, on_text=gone)
    assert say(chat, max_tokens=3)[0]


TEXTS = {
    "nothing": "",
    "prose": "Hello, is anybody there?",
    "numbers": "In 1917, 1919, 1948 and 1950: 3.14159.",
    "code": "def f(x):\n    return x\n" * 9,
    "Chinese": "世界" * 30,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_prompt_takes_more_tokens_than_are_estimated(
    base: str, chat: EndpointChat, text: str
) -> None:
    messages = (ASKED[0], Message("user", text))
    asked = [{"role": message.role, "content": message.content} for message in messages]
    body = {"model": "smollm2", "messages": asked, "max_tokens": 1}
    answer = EndpointClient(base).post_json("/chat/completions", body)
    assert isinstance(answer, dict)
    assert answer["usage"]["prompt_tokens"] <= sum(chat.count(m.content) for m in messages)
