"""Chat completions are read piece by piece, however the stream is framed."""

import json
from itertools import pairwise
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.endpoint.chat import FRAME, EndpointChat
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.ports.models import ChatReply, Message, Sampling
from tests.support.chat_endpoint import (
    DONE,
    KEY,
    PROMPT,
    WHOLE,
    complete,
    completion,
    event,
    make_chat,
    stream_answer,
    text_event,
)
from tests.support.fakes import WordCounter
from tests.support.scripted_server import Server, Stream, serve_script


def test_an_answer_is_passed_on_piece_by_piece(chat: EndpointChat) -> None:
    pieces: list[str] = []
    assert complete(chat, pieces) == ChatReply("Only me.", "stop", Sampling(0.0, 7))
    assert pieces == ["Only ", "me."]


@pytest.mark.requirement(45)
@pytest.mark.parametrize("chunked", [True, False])
def test_the_first_piece_is_passed_on_before_the_last_is_sent(
    server: Server, chat: EndpointChat, chunked: bool
) -> None:
    first = Event()
    server.script = [stream_answer(WHOLE[0], first, *WHOLE[1:], chunked=chunked)]
    pieces: list[str] = []

    def on_text(piece: str) -> None:
        pieces.append(piece)
        first.set()  # the server sends nothing more before this

    chat.complete(PROMPT, max_tokens=20, seed=7, on_text=on_text)
    assert pieces == ["Only ", "me."]


def test_a_request_contains_model_key_and_sampling(server: Server, chat: EndpointChat) -> None:
    complete(chat)
    ((path, key, body),) = server.asked
    assert (path, key) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Who is there?"},
        ],
        "stream": True,
        "temperature": 0,
        "seed": 7,
        "max_tokens": 20,
    }


def test_half_a_character_in_a_prompt_is_sent_as_a_question_mark(
    server: Server, chat: EndpointChat
) -> None:
    chat.complete((Message("user", "a\ud83db"),), max_tokens=1, seed=0, on_text=lambda _: None)
    assert server.asked[0][2]["messages"][0]["content"] == "a?b"


def test_a_truncated_answer_has_the_finish_reason_length(
    server: Server, chat: EndpointChat
) -> None:
    server.script = [stream_answer(text_event("Only", "length"), DONE)]
    assert complete(chat) == ChatReply("Only", "length", Sampling(0.0, 7))


# What servers send, the pieces of text, and the finish reason.
FRAMES: dict[str, tuple[bytes, list[str], str]] = {
    "a role first": (
        text_event("", role="assistant") + text_event("a", "stop") + DONE,
        ["a"],
        "stop",
    ),
    "null content": (text_event(None) + text_event("a", "stop") + DONE, ["a"], "stop"),
    "usage": (
        text_event("a", "stop") + event({"choices": [], "usage": {}}) + DONE,
        ["a"],
        "stop",
    ),
    "no choices": (event({"id": 1}) + text_event("a", "stop") + DONE, ["a"], "stop"),
    "no delta": (text_event("a") + event({"choices": [{"finish_reason": "stop"}]}), ["a"], "stop"),
    "another choice": (
        event({"choices": [{"index": 1, "delta": {"content": "b"}}]}) + text_event("a", "stop"),
        ["a"],
        "stop",
    ),
    "keep-alives": (b": wait\n\n:\n\n" + text_event("a") + b":\n\ndata:\n\n" + DONE, ["a"], "done"),
    "CRLF": ((text_event("a", "stop") + DONE).replace(b"\n", b"\r\n"), ["a"], "stop"),
    "CR": ((text_event("a", "stop") + DONE).replace(b"\n", b"\r"), ["a"], "stop"),
    "no space": ((text_event("a", "stop") + DONE).replace(b"data: ", b"data:"), ["a"], "stop"),
    "many lines": (
        b'event: x\nid: 4\ndata: {"choices": [{"delta":\ndata: {"content": "a"},\n'
        b'data: "finish_reason": "stop"}]}\nretry: 9\n\n' + DONE,
        ["a"],
        "stop",
    ),
    "no [DONE]": (text_event("a", "stop"), ["a"], "stop"),
    "no reason": (text_event("a") + DONE, ["a"], "done"),
    "more after [DONE]": (text_event("a", "stop") + DONE + b"data: {", ["a"], "stop"),
    "a byte order mark": (b"\xef\xbb\xbf" + text_event("a", "stop"), ["a"], "stop"),
    "another reason": (text_event("a", "content_filter") + DONE, ["a"], "content_filter"),
    "nothing": (text_event(None, "stop") + DONE, [], "stop"),
    "halves of a character": (
        text_event("\ud83d") + text_event("\ude00!", "stop"),
        ["\U0001f600!"],
        "stop",
    ),
    "half a character": (
        text_event("a\ud83d") + text_event("\ude00\ude00", "stop"),
        ["a", "😀�"],
        "stop",
    ),
    "half at the end": (text_event("a\ud83d", "stop"), ["a", "�"], "stop"),
    "raw characters": (
        'data: {"choices":[{"delta":{"content":"é"}}]}\n\n'.encode() + DONE,
        ["é"],
        "done",
    ),
}


@pytest.mark.parametrize(("sent", "expected", "finish"), FRAMES.values(), ids=FRAMES.keys())
def test_every_framing_of_a_stream_is_read(
    server: Server, chat: EndpointChat, sent: bytes, expected: list[str], finish: str
) -> None:
    server.script = [stream_answer(sent)]
    pieces: list[str] = []
    reply = complete(chat, pieces)
    assert (pieces, reply.text, reply.finish) == (expected, "".join(expected), finish)


LONG = (
    'data: {"choices": [{"delta": {"content": "Grüße, "}}]}\n\n: 世\n\n'
    'data: {"choices": [{"delta":\ndata: {"content": "世界 😀"}}]}\n\n'
    'data: {"choices": [{"delta": {"content": "\\r\\n!"}, "finish_reason": "stop"}]}\n\n'
    "data: [DONE]\n\n"
)


@given(
    cuts=st.lists(st.integers(1, len(LONG.encode())), max_size=12),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    chunked=st.booleans(),
)
def test_the_answer_does_not_depend_on_the_blocks_of_bytes(
    cuts: list[int], end: str, chunked: bool
) -> None:
    sent = LONG.replace("\n", end).encode()
    bounds = [0, *sorted(cuts), len(sent)]
    parts = [sent[start:stop] for start, stop in pairwise(bounds)]
    pieces: list[str] = []
    with serve_script(lambda body: stream_answer(*parts, chunked=chunked)) as server:
        reply = complete(make_chat(server), pieces)
    assert pieces == ["Grüße, ", "世界 😀", "\r\n!"]
    assert reply.text == "Grüße, 世界 😀\r\n!"


def test_a_stream_of_single_bytes_is_read(server: Server, chat: EndpointChat) -> None:
    sent = LONG.replace("\n", "\r\n").encode()
    server.script = [stream_answer(*(sent[at : at + 1] for at in range(len(sent))))]
    assert complete(chat).text == "Grüße, 世界 😀\r\n!"


def test_a_response_without_streaming_is_read(server: Server, chat: EndpointChat) -> None:
    server.script = [
        (200, completion({"content": "Only me."}), {}),
        (200, completion({"content": None}, None), {"Content-Type": "text/event-stream"}),
        (200, Stream((b" \n", b"{", json.dumps(completion({"content": "x"})).encode()[1:])), {}),
    ]
    pieces: list[str] = []
    assert complete(chat, pieces) == ChatReply("Only me.", "stop", Sampling(0.0, 7))
    assert complete(chat, pieces) == ChatReply("", "done", Sampling(0.0, 7))
    assert complete(chat, pieces).text == "x"
    assert pieces == ["Only me.", "x"]


def test_a_model_has_a_name_a_clearance_and_a_context_window(
    server: Server, chat: EndpointChat
) -> None:
    high = Clearance(frozenset({"board"}), 2)
    other = EndpointChat(
        server.base, "big", context_window=9, counter=WordCounter(), clearance=high
    )
    assert (chat.name, chat.clearance, chat.context_window) == ("tiny", UNCLASSIFIED, 100)
    assert (other.name, other.clearance, other.context_window) == ("big", high, 9)


def test_tokens_are_exact_with_the_models_own_tokenizer_and_else_estimated_high(
    server: Server, chat: EndpointChat
) -> None:
    own = EndpointChat(server.base, "tiny", context_window=9, counter=WordCounter(), exact=True)
    assert (chat.exact_count, own.exact_count) == (False, True)
    assert (chat.count(""), own.count("")) == (FRAME, FRAME)
    assert (chat.count("one two three"), own.count("one two three")) == (FRAME + 4, FRAME + 3)
    assert (chat.count("in 2024"), own.count("in 2024")) == (FRAME + 7, FRAME + 2)
