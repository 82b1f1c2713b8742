"""What a chat server streams, and how it is asked in tests."""

import json
import traceback
from threading import Event

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.model.errors import ModelError
from docgraph.ports.models import ChatModel, ChatReply, Message
from tests.support.fakes import WordCounter
from tests.support.scripted_server import Answer, Halt, Server, Stream

KEY = "sk-very-secret"
PROMPT = (Message("system", "Be short."), Message("user", "Who is there?"))
DONE = b"data: [DONE]\n\n"


def event(data: object) -> bytes:
    return b"data: %s\n\n" % json.dumps(data).encode()


def text_event(content: str | None, finish: str | None = None, **delta: str) -> bytes:
    choice = {"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish}
    return event({"choices": [choice]})


def stream_answer(*parts: bytes | float | Event | Halt, chunked: bool = True) -> Answer:
    return 200, Stream(parts, chunked), {}


WHOLE = (text_event("Only "), text_event("me."), text_event(None, "stop"), DONE)


def make_chat(server: Server, timeout: float = 60, max_seconds: float = 60) -> EndpointChat:
    return EndpointChat(
        server.base,
        "tiny",
        context_window=9,
        counter=WordCounter(),
        timeout=timeout,
        max_seconds=max_seconds,
    )


def complete(chat: ChatModel, texts: list[str] | None = None) -> ChatReply:
    pieces = list[str]() if texts is None else texts
    return chat.complete(PROMPT, max_tokens=20, seed=7, on_text=pieces.append)


def complete_error(chat: ChatModel, texts: list[str] | None = None) -> str:
    with pytest.raises(ModelError) as caught:
        complete(chat, texts)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


def completion(message: object, finish: object = "stop") -> object:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
