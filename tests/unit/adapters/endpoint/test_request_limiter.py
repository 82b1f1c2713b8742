"""Requests to one endpoint wait for each other: pauses, the number in flight, and a rate."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier, Event, Lock, current_thread, main_thread

import pytest

from docgraph.adapters.endpoint.request_limiter import SUCCESSES_PER_INCREASE, RequestLimiter
from docgraph.adapters.endpoint.retry_delay import RetryDelay
from docgraph.model.errors import Cancelled
from docgraph.ports.cancellation import Deadline, deadline_scope
from tests.support.scripted_clock import ScriptedClock

NO_DELAY = RetryDelay(0.0, shared=False)
WAIT = 60


@pytest.fixture
def clock() -> ScriptedClock:
    return ScriptedClock()


@pytest.fixture
def limiter(clock: ScriptedClock) -> RequestLimiter:
    return RequestLimiter(clock=clock, sleep=clock.sleep)


def respond(
    limiter: RequestLimiter, status: int, delay: RetryDelay = NO_DELAY, *, together: int = 1
) -> None:
    """So many requests are in flight together; then one after the other gets this response."""
    stacks = [ExitStack() for _ in range(together)]
    slots = [stack.enter_context(limiter.slot(limiter.next_number())) for stack in stacks]
    for stack, slot in zip(stacks, slots, strict=True):
        with stack:
            slot.record(status, delay)


def test_a_pause_is_for_every_request(limiter: RequestLimiter, clock: ScriptedClock) -> None:
    respond(limiter, 429, RetryDelay(7.0, shared=True))
    assert clock.slept == []
    respond(limiter, 200)
    respond(limiter, 200)
    assert clock.slept == [7.0]


def test_a_delay_of_one_request_is_not_a_pause(
    limiter: RequestLimiter, clock: ScriptedClock
) -> None:
    respond(limiter, 500, RetryDelay(7.0, shared=False))
    respond(limiter, 200)
    assert clock.slept == []


def test_a_shorter_pause_does_not_end_a_longer_one(
    limiter: RequestLimiter, clock: ScriptedClock
) -> None:
    with limiter.slot(0) as first, limiter.slot(1) as second:
        first.record(429, RetryDelay(9.0, shared=True))
        second.record(429, RetryDelay(2.0, shared=True))
    respond(limiter, 200)
    assert clock.slept == [9.0]


def test_requests_of_a_minute_are_spread_over_it(clock: ScriptedClock) -> None:
    limiter = RequestLimiter(per_minute=120, clock=clock, sleep=clock.sleep)
    for _ in range(4):
        respond(limiter, 200)
    assert clock.slept == [0.5, 0.5, 0.5]
    clock.sleep(10)
    respond(limiter, 200)
    assert clock.slept == [0.5, 0.5, 0.5, 10]


def test_refusals_of_requests_that_were_sent_together_halve_their_number_once(
    limiter: RequestLimiter,
) -> None:
    respond(limiter, 200, together=8)
    assert limiter.max_in_flight == math.inf
    respond(limiter, 429, together=8)
    assert limiter.max_in_flight == 4
    respond(limiter, 429, together=3)
    assert limiter.max_in_flight == 1
    respond(limiter, 429)
    assert limiter.max_in_flight == 1


def test_successes_raise_the_number_in_flight_slowly(limiter: RequestLimiter) -> None:
    respond(limiter, 429, together=4)
    for _ in range(SUCCESSES_PER_INCREASE - 1):
        respond(limiter, 200)
    assert limiter.max_in_flight == 2
    respond(limiter, 200)
    assert limiter.max_in_flight == 3
    for _ in range(SUCCESSES_PER_INCREASE):
        respond(limiter, 500)
    assert limiter.max_in_flight == 3


class Counted:
    """How many are inside at once, at most."""

    def __init__(self) -> None:
        self.most = self._now = 0
        self._lock = Lock()

    @contextmanager
    def inside(self) -> Iterator[None]:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        yield
        with self._lock:
            self._now -= 1


def test_no_more_requests_are_in_flight_than_allowed(limiter: RequestLimiter) -> None:
    respond(limiter, 429, together=4)
    counted, pairs = Counted(), Barrier(2)

    def send(number: int) -> None:
        with limiter.slot(number), counted.inside():
            pairs.wait(WAIT)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(100, 108)))
    assert counted.most == 2


def test_a_request_that_is_sent_again_goes_before_newer_ones() -> None:
    clock, order = ScriptedClock(), list[str]()
    newer_waits, again_sent = Event(), Event()

    def sleep(seconds: float) -> None:
        if current_thread() is main_thread():
            clock.sleep(seconds)
        else:
            newer_waits.set()
            again_sent.wait(WAIT)

    limiter = RequestLimiter(clock=clock, sleep=sleep)
    respond(limiter, 429)

    def send_newer() -> None:
        with limiter.slot(101):
            order.append("newer")

    with ThreadPoolExecutor(1) as pool:
        with limiter.slot(100) as slot:
            slot.record(429, RetryDelay(5.0, shared=True))
            newer = pool.submit(send_newer)
        assert newer_waits.wait(WAIT)
        with limiter.slot(100):
            order.append("again")
        again_sent.set()
        newer.result(WAIT)
    assert order == ["again", "newer"]


def test_a_request_that_waits_ends_when_it_is_cancelled(limiter: RequestLimiter) -> None:
    respond(limiter, 429)
    checked = Event()

    def time_of_check() -> float:
        checked.set()
        return 0.0

    deadline = Deadline(1, clock=time_of_check)
    checked.clear()

    def send() -> None:
        with deadline_scope(deadline), limiter.slot(101):
            pytest.fail("another request is in flight")

    with ThreadPoolExecutor(1) as pool, limiter.slot(100):
        sent = pool.submit(send)
        assert checked.wait(WAIT)
        deadline.cancel()
        with pytest.raises(Cancelled):
            sent.result(WAIT)
    respond(limiter, 200)
