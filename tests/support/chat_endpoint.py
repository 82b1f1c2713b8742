"""What a chat server streams, and how it is asked in tests."""

import json
import traceback
from threading import Event

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.model.errors import ModelError
from docgraph.ports.models import ChatModel, ChatReply, Message
from tests.support.scripted_server import Answer, Halt, Server, Stream
from tests.support.stand_ins import CountsWords

KEY = "sk-very-secret"
PROMPT = (Message("system", "Be short."), Message("user", "Who is there?"))
DONE = b"data: [DONE]\n\n"


def event(data: object) -> bytes:
    return b"data: %s\n\n" % json.dumps(data).encode()


def said(content: str | None, finish: str | None = None, **delta: str) -> bytes:
    choice = {"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish}
    return event({"choices": [choice]})


def streamed(*parts: bytes | float | Event | Halt, chunked: bool = True) -> Answer:
    return 200, Stream(parts, chunked), {}


WHOLE = (said("Only "), said("me."), said(None, "stop"), DONE)


def impatient(server: Server, timeout: float = 1, max_seconds: float = 5) -> EndpointChat:
    return EndpointChat(
        server.base,
        "tiny",
        window=9,
        counter=CountsWords(),
        timeout=timeout,
        max_seconds=max_seconds,
    )


def say(chat: ChatModel, heard: list[str] | None = None) -> ChatReply:
    pieces = list[str]() if heard is None else heard
    return chat.complete(PROMPT, max_tokens=20, seed=7, on_text=pieces.append)


def failing(chat: ChatModel, heard: list[str] | None = None) -> str:
    with pytest.raises(ModelError) as caught:
        say(chat, heard)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


def answered(message: object, finish: object = "stop") -> object:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
