"""A real server with a small real model behaves as the scripted server of other tests."""

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.adapters.endpoint.http_client import EndpointClient
from docgraph.adapters.onnx.granite import GraniteTokenCounter
from docgraph.model.errors import ModelError
from docgraph.ports.models import ChatReply, Message, Sampling
from tests.llm.model_server import WINDOW

PROMPT = (
    Message("system", "You answer in one short sentence."),
    Message("user", "What colour is the sky on a clear day?"),
)


@pytest.fixture
def chat(base: str) -> EndpointChat:
    return EndpointChat(
        base, "smollm2", context_window=WINDOW, counter=GraniteTokenCounter(), timeout=60
    )


def complete(
    chat: EndpointChat, max_tokens: int = 40, seed: int = 7
) -> tuple[list[str], ChatReply]:
    pieces: list[str] = []
    reply = chat.complete(PROMPT, max_tokens=max_tokens, seed=seed, on_text=pieces.append)
    return pieces, reply


@pytest.mark.requirement(45)
def test_an_answer_is_streamed(chat: EndpointChat) -> None:
    pieces, reply = complete(chat)
    assert len(pieces) > 3
    assert reply.text == "".join(pieces)
    assert "blue" in reply.text.lower()
    assert (reply.finish, reply.sampling) == ("stop", Sampling(0.0, 7))


def test_the_same_question_and_seed_give_the_same_answer(chat: EndpointChat) -> None:
    """Other questions in between, which the server may cache, change nothing."""
    first = complete(chat)
    other = chat.complete(
        (Message("user", "Count to ten."),), max_tokens=9, seed=1, on_text=lambda _: None
    )
    assert complete(chat) == first
    assert other.text != first[1].text


def test_a_truncated_answer_has_the_finish_reason_length(chat: EndpointChat) -> None:
    pieces, reply = complete(chat, max_tokens=3)
    assert reply.finish == "length"
    assert 1 <= len(pieces) <= 3


def test_a_prompt_that_is_too_long_is_refused_with_the_servers_message(chat: EndpointChat) -> None:
    long = (Message("user", "one word after another " * WINDOW),)
    assert chat.count(long[0].content) > WINDOW
    with pytest.raises(ModelError, match=rf"answered 400: .*maximum context length is {WINDOW}"):
        chat.complete(long, max_tokens=5, seed=0, on_text=lambda _: None)
    assert complete(chat, max_tokens=3)[0]  # the server still works


def test_after_a_failed_callback_the_server_answers_others(chat: EndpointChat) -> None:
    def fail(piece: str) -> None:
        raise BrokenPipeError(piece)

    with pytest.raises(BrokenPipeError):
        chat.complete(PROMPT, max_tokens=200, seed=7, on_text=fail)
    assert complete(chat, max_tokens=3)[0]


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
    messages = (PROMPT[0], Message("user", text))
    body_messages = [{"role": message.role, "content": message.content} for message in messages]
    body = {"model": "smollm2", "messages": body_messages, "max_tokens": 1}
    answer = EndpointClient(base).post_json("/chat/completions", body)
    assert isinstance(answer, dict)
    assert answer["usage"]["prompt_tokens"] <= sum(chat.count(m.content) for m in messages)
