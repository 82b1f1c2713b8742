"""Batches of texts are sent to an endpoint at once, within the limits that it states."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, Lock, Thread, current_thread, main_thread

import pytest

from docgraph.adapters.endpoint.embedder import DEFAULT_CONCURRENCY, EndpointEmbedder
from docgraph.model.errors import Cancelled, ModelError
from docgraph.ports.cancellation import Deadline, deadline_scope
from docgraph.ports.models import BatchEmbedder
from tests.support.scripted_clock import ScriptedClock
from tests.support.scripted_server import Answer, Body, Halt, Server, Stream, serve_script

WAIT = 60
TEXTS = [f"text {number}" for number in range(23)]
STALLED: Answer = (200, Stream((b'{"data": [', Halt.STALL)), {})


def vectors_of(body: Body) -> Answer:
    rows = [
        {"index": n, "embedding": [float(len(text)), float(sum(text.encode())), 1.0]}
        for n, text in enumerate(body["input"])
    ]
    return 200, {"data": rows}, {}


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(vectors_of) as server:
        yield server


@pytest.fixture
def clock() -> ScriptedClock:
    return ScriptedClock()


def embedder_of(
    server: Server,
    clock: ScriptedClock,
    concurrency: int = DEFAULT_CONCURRENCY,
    requests_per_minute: int | None = None,
) -> EndpointEmbedder:
    return EndpointEmbedder(
        server.base,
        "tiny",
        dimensions=3,
        batch=2,
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        sleep=clock.sleep,
        clock=clock,
    )


def embed(embedder: EndpointEmbedder, texts: list[str]) -> list[list[int]]:
    return [vector.tolist() for vector in embedder.embed(texts)]


def left_threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("endpoint")]


class InFlight:
    """Counts requests that the server is answering, and the most at once."""

    def __init__(self, answer: Callable[[Body], Answer]) -> None:
        self.most = self._now = 0
        self._answer = answer
        self._lock = Lock()

    def __call__(self, body: Body) -> Answer:
        with self._counted():
            return self._answer(body)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        yield
        with self._lock:
            self._now -= 1


def test_it_gives_batches_as_they_are_complete() -> None:
    assert isinstance(EndpointEmbedder("http://h/v1", "tiny"), BatchEmbedder)


@pytest.mark.parametrize("concurrency", [2, 4])
def test_batches_are_sent_at_once_and_their_vectors_are_those_of_one_by_one(
    server: Server, clock: ScriptedClock, concurrency: int
) -> None:
    expected = embed(embedder_of(server, clock, 1), TEXTS)
    batches = [body["input"] for _, _, body in server.asked]
    server.asked.clear()
    together = Barrier(concurrency)

    def answer(body: Body) -> Answer:
        together.wait(WAIT)
        return vectors_of(body)

    server.answer = in_flight = InFlight(answer)
    assert embed(embedder_of(server, clock, concurrency), TEXTS) == expected
    assert in_flight.most == concurrency
    assert sorted(body["input"] for _, _, body in server.asked) == sorted(batches)
    assert left_threads() == []


def test_after_a_refusal_fewer_requests_are_in_flight(server: Server, clock: ScriptedClock) -> None:
    together, refused = Barrier(4), list[Body]()

    def refuse(body: Body) -> Answer:
        refused.append(body)
        together.wait(WAIT)
        if len(refused) == 4:
            server.answer = in_flight
        return 429, {"error": "slow down"}, {"Retry-After": "3"}

    in_flight = InFlight(vectors_of)
    server.answer = refuse
    found = embed(embedder_of(server, clock), TEXTS[:16])
    server.answer = vectors_of
    assert found == embed(embedder_of(server, clock, 1), TEXTS[:16])
    assert len(refused) == 4
    assert in_flight.most <= 2
    assert set(clock.slept) == {3.0}


def test_a_limited_endpoint_is_asked_until_all_is_embedded(
    server: Server, clock: ScriptedClock
) -> None:
    """It takes one request in 20 seconds: more refusals than one request is tried again."""
    next_free, lock = [0.0], Lock()

    def limited(body: Body) -> Answer:
        with lock:
            if clock() < next_free[0]:
                return 429, {}, {"Retry-After": str(round(next_free[0] - clock()))}
            next_free[0] = clock() + 20
        return vectors_of(body)

    expected = embed(embedder_of(server, clock, 1), TEXTS)
    server.answer = limited
    assert embed(embedder_of(server, clock), TEXTS) == expected


def test_a_refused_request_stays_before_newer_ones(server: Server) -> None:
    clock, newer_waits, sleepers = ScriptedClock(), Event(), list[str]()
    checks = [0]

    def count_check() -> float:
        """At its start, when it is about to be sent, and when it waits for an older request."""
        checks[0] += 1
        if checks[0] == 3:
            newer_waits.set()
        return 0.0

    def embed_newer() -> None:
        with deadline_scope(Deadline(1, clock=count_check)):
            embedder.embed(["newer"])

    def sleep(seconds: float) -> None:
        if current_thread() is main_thread():
            sleepers.append("older")
            newer.start()
            assert newer_waits.wait(WAIT)
        else:
            sleepers.append("newer")
            newer_waits.set()
        clock.sleep(seconds)

    newer = Thread(target=embed_newer)
    embedder = EndpointEmbedder(server.base, "tiny", dimensions=3, sleep=sleep, clock=clock)
    server.script = [(429, {}, {"Retry-After": "5"})]
    embedder.embed(["older"])
    newer.join(WAIT)
    assert sleepers == ["older"]
    assert [body["input"] for _, _, body in server.asked] == [["older"], ["older"], ["newer"]]


def test_requests_are_spread_over_a_minute(server: Server, clock: ScriptedClock) -> None:
    embed(embedder_of(server, clock, 1, requests_per_minute=30), TEXTS[:8])
    assert clock.slept == [2.0, 2.0, 2.0]


def test_one_failing_batch_ends_the_requests_of_the_others(
    server: Server, clock: ScriptedClock
) -> None:
    """The others would never get an answer."""
    together = Barrier(4)

    def answer(body: Body) -> Answer:
        together.wait(WAIT)
        return (401, {"error": "wrong key"}, {}) if TEXTS[4] in body["input"] else STALLED

    server.answer = answer
    with pytest.raises(ModelError, match="answered 401: wrong key"):
        embed(embedder_of(server, clock), TEXTS)
    assert len(server.asked) == 4
    assert left_threads() == []


def test_all_requests_end_when_the_client_leaves(server: Server, clock: ScriptedClock) -> None:
    together = Barrier(5)

    def stall(body: Body) -> Answer:
        together.wait(WAIT)
        return STALLED

    def run(deadline: Deadline) -> None:
        with deadline_scope(deadline):
            embed(embedder_of(server, clock), TEXTS)

    server.answer, deadline = stall, Deadline()
    with ThreadPoolExecutor(1) as pool:
        embedding = pool.submit(run, deadline)
        together.wait(WAIT)
        deadline.cancel()
        with pytest.raises(Cancelled):
            embedding.result(WAIT)
    assert len(server.asked) == 4
    assert left_threads() == []


def test_a_request_ends_while_the_endpoint_pauses(server: Server) -> None:
    """Without the deadline it would wait for half a minute, four times."""
    asked = Event()

    def refuse(body: Body) -> Answer:
        asked.set()
        return 429, {}, {"Retry-After": "86400"}

    def run(deadline: Deadline) -> None:
        with deadline_scope(deadline):
            EndpointEmbedder(server.base, "tiny", dimensions=3, batch=1).embed(TEXTS)

    server.answer, deadline = refuse, Deadline()
    with ThreadPoolExecutor(1) as pool:
        embedding = pool.submit(run, deadline)
        assert asked.wait(WAIT)
        deadline.cancel()
        with pytest.raises(Cancelled):
            embedding.result(WAIT)
    assert left_threads() == []
    assert len(server.asked) <= DEFAULT_CONCURRENCY


def test_an_invalid_vector_is_not_given_to_the_caller(server: Server, clock: ScriptedClock) -> None:
    given: list[int] = []
    server.script = [
        vectors_of({"input": TEXTS[:2]}),
        (200, {"data": [{"embedding": [1]}] * 2}, {}),
    ]
    with pytest.raises(ModelError, match="1 dimensions, where 3 were requested"):
        embedder_of(server, clock, 1).embed_batches(TEXTS, lambda start, _: given.append(start))
    assert given == [0]
