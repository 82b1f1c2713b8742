"""The embedding endpoint: batches, retries, timeouts and validation of responses."""

import socket
from collections.abc import Iterator

import numpy as np
import pytest

from docgraph.adapters.endpoint.embedder import EndpointEmbedder
from docgraph.adapters.endpoint.http_client import EndpointClient
from docgraph.model.errors import ModelError
from docgraph.model.vector import to_integers
from docgraph.ports.models import Embedder
from tests.support.scripted_clock import ScriptedClock
from tests.support.scripted_server import Answer, Body, Server, serve_script

KEY = "sk-very-secret"


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, -2.0]


def embed_all(body: Body) -> Answer:
    rows = [{"index": n, "embedding": vector(text)} for n, text in enumerate(body["input"])]
    return 200, {"data": rows[::-1]}, {}


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(embed_all) as server:
        yield server


@pytest.fixture
def clock() -> ScriptedClock:
    return ScriptedClock()


@pytest.fixture
def embedder(server: Server, clock: ScriptedClock) -> EndpointEmbedder:
    return EndpointEmbedder(
        server.base,
        "tiny",
        api_key=KEY,
        batch=2,
        timeout=60,
        retries=3,
        concurrency=1,
        sleep=clock.sleep,
        clock=clock,
    )


def respond_with(server: Server, *rows: object) -> None:
    server.answer = lambda body: (200, {"data": list(rows)}, {})


def test_an_endpoint_embedder_implements_the_port(embedder: Embedder) -> None:
    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    expected = [to_integers(np.array(vector(text))).tolist() for text in texts]
    assert [found.tolist() for found in embedder.embed(texts)] == expected


def test_texts_are_sent_in_batches_with_model_and_key(
    server: Server, embedder: EndpointEmbedder
) -> None:
    embedder.embed(["a", "b", "c"])
    assert [body["input"] for _, _, body in server.asked] == [["docgraph"], ["a", "b"], ["c"]]
    assert {(path, key, body["model"]) for path, key, body in server.asked} == {
        ("/v1/embeddings", f"Bearer {KEY}", "tiny")
    }


def test_dimensions_are_measured_with_one_short_text(
    server: Server, embedder: EndpointEmbedder
) -> None:
    assert embedder.identity == embedder.identity
    assert (embedder.identity.name, embedder.identity.dimensions) == ("tiny", 3)
    assert len(server.asked) == 1


def test_given_dimensions_are_sent_and_need_no_probe(server: Server) -> None:
    embedder = EndpointEmbedder(server.base, "tiny", dimensions=3)
    assert (embedder.identity.dimensions, server.asked) == (3, [])
    embedder.embed(["a"])
    assert [(key, body["dimensions"]) for _, key, body in server.asked] == [(None, 3)]


def test_a_server_that_does_not_give_the_requested_dimensions_is_an_error(server: Server) -> None:
    embedder = EndpointEmbedder(server.base, "tiny", dimensions=2)
    with pytest.raises(ModelError, match="3 dimensions, where 2 were requested"):
        embedder.embed(["a"])


def test_a_server_that_takes_no_dimensions_is_an_error_with_its_reason(server: Server) -> None:
    server.answer = lambda body: (400, {"error": {"message": "does not support dimensions"}}, {})
    with pytest.raises(ModelError, match="answered 400: does not support dimensions"):
        EndpointEmbedder(server.base, "tiny", dimensions=2).embed(["a"])


def test_no_texts_cause_no_request(server: Server, embedder: EndpointEmbedder) -> None:
    assert (embedder.embed([]), server.asked) == ([], [])


def test_the_same_model_at_another_address_is_another_model(server: Server) -> None:
    def digest(base: str, model: str = "tiny", dimensions: int = 3) -> str:
        return EndpointEmbedder(base, model, dimensions=dimensions).identity.digest

    here = digest("http://host:80/v1")
    assert here == digest(" HTTP://Host/v1/ ")
    others = (
        digest("http://other/v1"),
        digest("http://host/v1", "b"),
        digest("http://host/v1", "tiny", 4),
    )
    assert len({here, *others}) == 4


def test_a_busy_server_is_retried_after_its_retry_after(
    server: Server, embedder: EndpointEmbedder, clock: ScriptedClock
) -> None:
    server.script = [
        (429, {}, {"Retry-After": "7"}),
        (503, {}, {}),
        (500, {}, {"Retry-After": "9999"}),
    ]
    assert embedder.identity.dimensions == 3
    assert clock.slept == [7.0, 1.0, 30.0]


def test_a_server_that_stays_busy_is_an_error(
    server: Server, embedder: EndpointEmbedder, clock: ScriptedClock
) -> None:
    server.answer = lambda body: (503, {"error": "loading"}, {})
    with pytest.raises(ModelError, match=r"answered 503 4 times: .*loading"):
        embedder.embed(["a"])
    assert (len(server.asked), clock.slept) == (4, [0.5, 1.0, 2.0])


def test_an_error_response_is_not_retried_and_its_message_has_no_key(
    server: Server, embedder: EndpointEmbedder
) -> None:
    server.answer = lambda body: (401, {"error": f"wrong key {KEY}"}, {})
    with pytest.raises(ModelError, match=r"answered 401: .*wrong key") as caught:
        embedder.embed(["a"])
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


def test_a_redirect_is_not_followed(server: Server, embedder: EndpointEmbedder) -> None:
    server.script = [(307, {}, {"Location": f"{server.base}/elsewhere"})]
    with pytest.raises(ModelError, match="answered 307"):
        embedder.embed(["a"])
    assert len(server.asked) == 1


def test_a_server_that_does_not_exist_is_an_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match=f"127.0.0.1:{port}.*Connection refused"):
        EndpointEmbedder(f"http://127.0.0.1:{port}/v1", "tiny").embed(["a"])


def test_a_server_that_does_not_answer_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match=r"no answer within 0.05 seconds"):
            EndpointEmbedder(base, "tiny", timeout=0.05).embed(["a"])


INVALID: dict[str, tuple[object, str]] = {
    "no JSON": (b"<html>", "not JSON"),
    "no data": ({"vectors": []}, 'no list "data"'),
    "no object": ([1], 'no list "data"'),
    "rows of numbers": ({"data": [1, 2]}, 'no list "data" of objects'),
    "missing vector": ({"data": [{"index": 1, "embedding": [1.0]}]}, "none for \\[0\\]"),
    "no embedding": ({"data": [{"index": 0}]}, "not a list of numbers"),
    "base64": ({"data": [{"index": 0, "embedding": "AACAPw=="}]}, "not a list of numbers"),
    "words": ({"data": [{"index": 0, "embedding": ["a"]}]}, "not a list of numbers"),
    "nested": ({"data": [{"index": 0, "embedding": [[1.0]]}]}, "not a flat list"),
    "NaN": (b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}', "not finite"),
    "null": ({"data": [{"index": 0, "embedding": [None, 1.0]}]}, "not finite"),
    "too large": ({"data": [{"index": 0, "embedding": [1e300]}]}, "not finite"),
    "too wide": ({"data": [{"index": 0, "embedding": [1.0] * 16_001}]}, "16001 dimensions"),
}


@pytest.mark.parametrize(("answer", "message"), INVALID.values(), ids=INVALID.keys())
def test_an_invalid_body_is_an_error(
    server: Server, embedder: EndpointEmbedder, answer: object, message: str
) -> None:
    server.answer = lambda body: (200, answer, {})
    with pytest.raises(ModelError, match=message):
        embedder.embed(["a"])


def test_too_many_vectors_are_an_error(server: Server, embedder: EndpointEmbedder) -> None:
    respond_with(server, {"embedding": [1.0]}, {"embedding": [2.0]})
    with pytest.raises(ModelError, match="2 vectors for 1 texts"):
        embedder.embed(["a"])


def test_a_vector_with_another_number_of_dimensions_is_an_error(
    server: Server, embedder: EndpointEmbedder
) -> None:
    assert embedder.identity.dimensions == 3
    respond_with(server, {"embedding": [1.0, 2.0]})
    with pytest.raises(ModelError, match="2 dimensions, where 3 are expected"):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    "base",
    ["localhost:11434/v1", "ftp://host/v1", "http://", "http://host:port/v1", "http://h/v1?a=b"],
)
def test_an_invalid_address_is_an_error(base: str) -> None:
    with pytest.raises(ModelError, match="not an address such as"):
        EndpointClient(base)


def test_a_password_in_the_address_is_refused_and_not_printed() -> None:
    with pytest.raises(ModelError, match="use the API key") as caught:
        EndpointClient(f"http://me:{KEY}@host/v1")
    assert KEY not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_and_not_printed() -> None:
    with pytest.raises(ModelError, match="characters that no key has") as caught:
        EndpointClient("http://host/v1", api_key=f"{KEY}\r\nHost: other")
    assert KEY not in str(caught.value)
