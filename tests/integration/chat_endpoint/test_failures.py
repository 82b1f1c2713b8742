"""Failures of a chat server: timeouts, retries, error responses and incomplete answers."""

import json
import socket
from email.utils import formatdate

import pytest

from docgraph.adapters.endpoint import chat_stream, http_client
from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.ports.models import ChatReply, Sampling
from tests.support.chat_endpoint import (
    DONE,
    KEY,
    PROMPT,
    WHOLE,
    complete,
    complete_error,
    completion,
    event,
    make_chat,
    stream_answer,
    text_event,
)
from tests.support.fakes import WordCounter
from tests.support.scripted_server import Answer, Halt, Server, Stream

INTERRUPTED: dict[str, tuple[tuple[bytes | float | Halt, ...], str]] = {
    "the stream ends": ((text_event("Only "),), "ended without a reason to finish"),
    "the stream ends in a line": (
        (text_event("Only "), b'data: {"cho'),
        "without a reason to finish",
    ),
    "it is dropped": ((text_event("Only "), Halt.DROP), "the connection broke off"),
    "it stalls": ((text_event("Only "), Halt.STALL), "nothing more came within 1 seconds"),
    "it stalls in a line": ((text_event("Only "), b"da", Halt.STALL), "nothing more came within 1"),
}


@pytest.mark.parametrize(("parts", "message"), INTERRUPTED.values(), ids=INTERRUPTED.keys())
def test_pieces_before_an_interruption_are_passed_on_and_then_an_error_is_raised(
    server: Server, parts: tuple[bytes | float | Halt, ...], message: str
) -> None:
    server.script = [stream_answer(*parts)]
    pieces: list[str] = []
    error = complete_error(make_chat(server, timeout=1), pieces)
    assert pieces == ["Only "]
    assert error.startswith(f"{server.base}/chat/completions: tiny: half an answer: ")
    assert message in error
    assert len(server.asked) == 1  # an answer that has begun is not requested again


def test_an_interrupted_stream_without_chunks_is_an_error(server: Server) -> None:
    server.script = [stream_answer(text_event("Only "), Halt.DROP, chunked=False)]
    assert "half an answer" in complete_error(make_chat(server))


def test_an_interrupted_response_without_stream_is_an_error(server: Server) -> None:
    data = json.dumps(completion({"content": "Only me."})).encode()
    whole = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    half = (200, Stream((data[:-9], Halt.DROP), chunked=False), whole)
    server.answer = lambda body: half
    assert "half an answer: the connection was closed" in complete_error(make_chat(server))
    assert len(server.asked) == 2


@pytest.mark.parametrize("halt", Halt)
def test_an_interruption_after_the_finish_reason_is_ignored(server: Server, halt: Halt) -> None:
    server.script = [stream_answer(text_event("a", "stop"), halt)]
    assert complete(make_chat(server, timeout=1)).text == "a"


def test_a_stream_of_keep_alives_only_is_aborted(server: Server) -> None:
    alive: tuple[bytes | float, ...] = (b": wait\n\n", 0.01)
    server.script = [stream_answer(*alive * 300)]
    error = complete_error(make_chat(server, max_seconds=0.1))
    assert "half an answer: it did not end within 0.1 seconds" in error


def test_a_server_that_does_not_answer_or_does_not_exist_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        chat = EndpointChat(base, "tiny", context_window=9, counter=WordCounter(), timeout=0.05)
        assert "no answer within 0.05 seconds" in complete_error(chat)
    assert "Connection refused" in complete_error(chat)


def test_a_server_that_accepts_no_connection_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        base = f"http://127.0.0.1:{address[1]}/v1"
        chat = EndpointChat(base, "tiny", context_window=9, counter=WordCounter(), timeout=0.05)
        with socket.create_connection(address), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(address)
            assert "no connection within 0.05 seconds" in complete_error(chat)


def test_the_timeout_of_connecting_does_not_apply_to_the_response(
    server: Server, chat: EndpointChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "MAX_CONNECT_SECONDS", 0.5)
    server.script = [stream_answer(0.8, *WHOLE)]
    assert complete(chat).text == "Only me."


def test_a_busy_server_is_retried_after_its_retry_after(
    server: Server, chat: EndpointChat, slept: list[float]
) -> None:
    server.script = [
        (429, {}, {"Retry-After": "7"}),
        (503, {}, {"Retry-After": formatdate(4e9, usegmt=True)}),
        (502, {}, {"Retry-After": "soon"}),
    ]
    assert complete(chat).text == "Only me."
    assert slept == [7.0, 30.0, 2.0]


@pytest.mark.parametrize(
    ("retry_after", "delay"),
    [
        ("0", 0.0),
        ("9999", 30.0),
        (formatdate(4e9, usegmt=True), 30.0),
        (formatdate(0, usegmt=True), 0.0),
        ("Sun, 06 Nov 1994 08:49:37 -0000", 0.0),
        ("", 0.5),
        ("-1", 0.5),
        ("Mon, 99 Nov 99999 99:99:99 GMT", 0.5),
    ],
)
def test_a_retry_delay_is_at_most_30_seconds(
    server: Server, chat: EndpointChat, slept: list[float], retry_after: str, delay: float
) -> None:
    server.script = [(429, {}, {"Retry-After": retry_after})]
    complete(chat)
    assert slept == [delay]


def test_a_server_that_stays_busy_is_an_error(
    server: Server, chat: EndpointChat, slept: list[float]
) -> None:
    server.answer = lambda body: (429, {"error": {"message": "slow down"}}, {"Retry-After": "1"})
    assert complete_error(chat).endswith("/chat/completions: answered 429 4 times: slow down")
    assert (len(server.asked), slept) == (4, [1.0, 1.0, 1.0])


ERROR_RESPONSES: dict[str, tuple[object, str]] = {
    "OpenAI": ({"error": {"message": "no such\n model", "code": 4}}, "no such model"),
    "Ollama": ({"error": "no such model"}, "no such model"),
    "vLLM": ({"object": "error", "message": "no such model"}, "no such model"),
    "FastAPI": ({"detail": "no such model"}, "no such model"),
    "a list": ({"detail": [{"loc": ["body"]}]}, '{"detail": [{"loc": ["body"]}]}'),
    "a page": (b"<html>no</html>", "<html>no</html>"),
    "too deep": (b"[" * 9000, "[" * 300),
    "a long one": ({"error": "x" * 5000}, "x" * 300),
}


@pytest.mark.parametrize(
    ("answer", "message"), ERROR_RESPONSES.values(), ids=ERROR_RESPONSES.keys()
)
def test_an_error_contains_the_servers_message(
    server: Server, chat: EndpointChat, answer: object, message: str
) -> None:
    server.script = [(404, answer, {})]
    assert complete_error(chat) == f"{server.base}/chat/completions: answered 404: {message}"
    assert len(server.asked) == 1


def test_a_truncated_message_contains_no_part_of_the_key(
    server: Server, chat: EndpointChat
) -> None:
    server.script = [
        (401, {"error": "x" * 290 + KEY}, {}),
        (401, b"x" * 290 + KEY.encode(), {}),
        stream_answer(event({"error": {"message": "x" * 290 + KEY}})),
        stream_answer(text_event("a", f"stop {KEY}")),
    ]
    for _ in range(3):
        assert KEY[:4] not in complete_error(chat)
    assert complete(chat).finish == "stop ***"


def test_a_key_is_redacted_in_every_json_escape(server: Server, chat: EndpointChat) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    server.script = [(401, f'{{"error": {{"message": "bad key {escaped}"}}}}'.encode(), {})]
    assert complete_error(chat).endswith("bad key ***")


def test_a_redirect_is_not_followed(server: Server, chat: EndpointChat) -> None:
    server.script = [(307, {}, {"Location": f"{server.base}/elsewhere"})]
    assert "answered 307" in complete_error(chat)
    assert len(server.asked) == 1


# Invalid bodies with status 200.
INVALID: dict[str, tuple[bytes, str]] = {
    "an error": (event({"error": {"message": f"out of memory {KEY}"}}), "out of memory ***"),
    "an error as text": (event({"error": "out of memory"}), "broke off: out of memory"),
    "an error of vLLM": (event({"object": "error", "message": "no memory"}), "off: no memory"),
    "an error event": (b'event: error\ndata: {"message": "no memory"}\n\n', "off: no memory"),
    "an error field": (b'error: {"message": "no memory"}\n\n', "broke off: no memory"),
    "a whole error": (b'{"error": {"message": "no memory"}}', "broke off: no memory"),
    "a page": (b"<html><p>hello</p></html>", "neither JSON nor a stream"),
    "half a line": (b"data: {", "neither JSON nor a stream"),
    "no JSON": (b"data: {\n\n", "not JSON"),
    "too deep": (b"data: " + b"[" * 9000 + b"\n\n", "not JSON"),
    "no object": (event([1]), "not an object"),
    "choices as text": (event({"choices": "a"}), '"choices" is not a list'),
    "choices of numbers": (event({"choices": [1]}), '"choices" is not a list'),
    "content of parts": (event({"choices": [{"delta": {"content": ["a"]}}]}), "not text"),
    "delta as text": (event({"choices": [{"delta": "a"}]}), "not text"),
    "no message": (b'{"choices": [{"text": "a"}]}', "not text"),
    "an object without choices": (b'{"id": 1}', 'no "choices"'),
    "half an object": (b'{"choices": [', "not JSON"),
    "Latin-1": (b"data: \xe9\n\n", "not UTF-8"),
}


@pytest.mark.parametrize(("sent", "message"), INVALID.values(), ids=INVALID.keys())
def test_an_invalid_body_is_an_error(
    server: Server, chat: EndpointChat, sent: bytes, message: str
) -> None:
    server.script = [stream_answer(sent)]
    pieces: list[str] = []
    assert message in complete_error(chat, pieces)
    assert pieces == []


def test_an_error_event_after_some_text_is_an_error(server: Server, chat: EndpointChat) -> None:
    server.script = [
        stream_answer(text_event("Only "), event({"error": {"message": "out of memory"}}))
    ]
    pieces: list[str] = []
    assert "tiny: the server broke off: out of memory" in complete_error(chat, pieces)
    assert pieces == ["Only "]


def test_an_answer_over_the_limit_is_an_error(
    server: Server, chat: EndpointChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_stream, "MAX_TEXT_LENGTH", 10)
    monkeypatch.setattr(chat_stream, "MAX_STREAM_BYTES", 2000)
    server.script = [
        stream_answer(*[text_event("word ")] * 4, DONE),
        stream_answer(*[b": wait\n\n"] * 300, *WHOLE),
        (200, completion({"content": "x" * 11}), {}),
    ]
    pieces: list[str] = []
    assert "more than 10 characters" in complete_error(chat, pieces)
    assert pieces == ["word ", "word "]
    assert "more than 2000 bytes" in complete_error(chat)
    assert "more than 10 characters" in complete_error(chat)


def test_a_line_over_the_limit_is_an_error(server: Server, chat: EndpointChat) -> None:
    server.script = [stream_answer(b"data: ", *[b"x" * 2**16] * 17, *WHOLE)]
    assert "a line of the stream has more than 1048576 bytes" in complete_error(chat)


def unsupported(name: str) -> Answer:
    return 400, {"error": {"message": f"Unsupported parameter: '{name}'", "param": name}}, {}


def forbidden(*names: str) -> Answer:
    return 422, {"detail": [{"loc": ["body", name], "msg": "extra"} for name in names]}, {}


def test_a_parameter_that_the_server_refuses_is_left_out(
    server: Server, chat: EndpointChat
) -> None:
    server.script = [unsupported("max_tokens"), unsupported("temperature"), unsupported("seed")]
    assert complete(chat) == ChatReply("Only me.", "stop", Sampling(None, None))
    sent = [set(body) - {"model", "messages", "stream"} for _, _, body in server.asked]
    assert sent == [
        {"max_tokens", "temperature", "seed"},
        {"max_completion_tokens", "temperature", "seed"},
        {"max_completion_tokens", "seed"},
        {"max_completion_tokens"},
    ]
    assert server.asked[-1][2]["max_completion_tokens"] == 20


def test_all_parameters_that_an_error_names_are_left_out(
    server: Server, chat: EndpointChat
) -> None:
    server.script = [forbidden("seed", "temperature"), (503, {}, {})]
    assert complete(chat).sampling == Sampling(None, None)
    assert len(server.asked) == 3
    server.script = [forbidden("seed")]
    assert complete(chat).sampling == Sampling(0.0, None)


@pytest.mark.parametrize("name", ["seed", "temperature", "max_tokens", "max_completion_tokens"])
def test_no_parameter_is_left_out_twice(server: Server, chat: EndpointChat, name: str) -> None:
    server.answer = lambda body: unsupported(name)
    assert f"answered 400: Unsupported parameter: '{name}'" in complete_error(chat)
    assert len(server.asked) == (1 if name == "max_completion_tokens" else 2)


def test_an_error_for_another_reason_changes_no_parameter(
    server: Server, chat: EndpointChat
) -> None:
    server.answer = lambda body: (400, {"error": "seeds and max_tokens_each: too long"}, {})
    assert "too long" in complete_error(chat)
    server.answer = lambda body: (401, {"error": "seed"}, {})
    assert "answered 401: seed" in complete_error(chat)
    assert len(server.asked) == 2


def test_a_stream_that_is_closed_before_any_text_is_retried_without_streaming(
    server: Server, chat: EndpointChat
) -> None:
    """llama-cpp-python does so with a prompt that is too long, and gives its reason only here."""
    server.script = [
        stream_answer(Halt.DROP),
        (400, {"error": {"message": "2 tokens too many"}}, {}),
    ]
    assert complete_error(chat).endswith("answered 400: 2 tokens too many")
    server.script = [stream_answer(b"\n"), (200, completion({"content": "Only me."}), {})]
    assert complete(chat).text == "Only me."
    server.script = [stream_answer(Halt.DROP), stream_answer(Halt.DROP)]
    assert "half an answer: the connection broke off" in complete_error(chat)
    server.script = [stream_answer(), stream_answer()]
    assert "half an answer: the server said nothing" in complete_error(chat)
    assert [body["stream"] for _, _, body in server.asked] == [True, False] * 4


def test_a_stream_that_stalls_before_its_first_piece_is_not_retried(
    server: Server,
) -> None:
    server.script = [stream_answer(Halt.STALL)]
    assert "nothing more came within" in complete_error(make_chat(server, timeout=1))
    assert len(server.asked) == 1


def test_an_error_of_the_callback_is_raised_unchanged(server: Server, chat: EndpointChat) -> None:
    def fail(piece: str) -> None:
        raise BrokenPipeError(32, f"nobody reads {piece}")

    with pytest.raises(BrokenPipeError, match="nobody reads Only"):
        chat.complete(PROMPT, max_tokens=20, seed=7, on_text=fail)
    assert len(server.asked) == 1
