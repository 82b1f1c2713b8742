"""An answer is received piece by piece, however its answer is framed."""

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


def test_an_answer_is_received_piece_by_piece(chat: EndpointChat) -> None:
    streamed: list[str] = []
    assert complete(chat, streamed) == ChatReply("Only me.", "stop", Sampling(0.0, 7))
    assert streamed == ["Only ", "me."]


@pytest.mark.requirement(45)
@pytest.mark.parametrize("chunked", [True, False])
def test_the_first_piece_is_received_before_the_last_is_sent(
    server: Server, chat: EndpointChat, chunked: bool
) -> None:
    first = Event()
    server.script = [stream_answer(WHOLE[0], first, *WHOLE[1:], chunked=chunked)]
    streamed: list[str] = []

    def listen(piece: str) -> None:
        streamed.append(piece)
        first.set()  # the server sends nothing more before this

    chat.complete(PROMPT, max_tokens=20, seed=7, on_text=listen)
    assert streamed == ["Only ", "me."]


def test_what_is_asked_names_model_key_and_sampling(server: Server, chat: EndpointChat) -> None:
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


def test_an_answer_cut_off_says_so(server: Server, chat: EndpointChat) -> None:
    server.script = [stream_answer(text_event("Only", "length"), DONE)]
    assert complete(chat) == ChatReply("Only", "length", Sampling(0.0, 7))


# What servers send, and what is received and why it ended.
FRAMES: dict[str, tuple[bytes, list[str], str]] = {
    "a role first": (
        text_event("", role="assistant") + text_event("a", "stop") + DONE,
        ["a"],
        "stop",
    ),
    "null content": (text_event(None) + text_event("a", "stop") + DONE, ["a"], "stop"),
    "what it cost": (
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


@pytest.mark.parametrize(("sent", "streamed", "finish"), FRAMES.values(), ids=FRAMES.keys())
def test_a_stream_is_understood_however_it_is_framed(
    server: Server, chat: EndpointChat, sent: bytes, streamed: list[str], finish: str
) -> None:
    server.script = [stream_answer(sent)]
    pieces: list[str] = []
    message = complete(chat, pieces)
    assert (pieces, message.text, message.finish) == (streamed, "".join(streamed), finish)


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
def test_the_answer_is_the_same_however_its_bytes_are_cut(
    cuts: list[int], end: str, chunked: bool
) -> None:
    sent = LONG.replace("\n", end).encode()
    places = [0, *sorted(cuts), len(sent)]
    parts = [sent[start:stop] for start, stop in pairwise(places)]
    streamed: list[str] = []
    with serve_script(lambda body: stream_answer(*parts, chunked=chunked)) as server:
        message = complete(make_chat(server, timeout=5), streamed)
    assert streamed == ["Grüße, ", "世界 😀", "\r\n!"]
    assert message.text == "Grüße, 世界 😀\r\n!"


def test_every_byte_alone_is_understood(server: Server, chat: EndpointChat) -> None:
    sent = LONG.replace("\n", "\r\n").encode()
    server.script = [stream_answer(*(sent[at : at + 1] for at in range(len(sent))))]
    assert complete(chat).text == "Grüße, 世界 😀\r\n!"


def test_a_server_that_does_not_stream_is_understood(server: Server, chat: EndpointChat) -> None:
    server.script = [
        (200, completion({"content": "Only me."}), {}),
        (200, completion({"content": None}, None), {"Content-Type": "text/event-stream"}),
        (200, Stream((b" \n", b"{", json.dumps(completion({"content": "x"})).encode()[1:])), {}),
    ]
    streamed: list[str] = []
    assert complete(chat, streamed) == ChatReply("Only me.", "stop", Sampling(0.0, 7))
    assert complete(chat, streamed) == ChatReply("", "done", Sampling(0.0, 7))
    assert complete(chat, streamed).text == "x"
    assert streamed == ["Only me.", "x"]


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
