"""Batches run at once, and their results, errors and end are those of a loop."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from threading import Barrier, Event

import pytest

from docgraph.adapters.endpoint.concurrent_batches import BATCHES_PER_THREAD, run_in_order
from docgraph.model.errors import Cancelled, DeadlineExceeded, ModelError
from docgraph.ports.cancellation import Deadline, check_cancelled, deadline_scope, on_cancel

WAIT = 60
NAME: ContextVar[str] = ContextVar("test_name", default="nobody")


def left_threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("endpoint")]


def collect(work: Callable[[int], object], many: int, threads: int) -> list[tuple[int, object]]:
    results: list[tuple[int, object]] = []
    run_in_order(work, range(many), lambda start, result: results.append((start, result)), threads)
    return results


def wait_for_cancellation() -> None:
    ended = Event()
    with on_cancel(ended.set):
        assert ended.wait(WAIT)
    check_cancelled()


def test_results_come_in_order_however_batches_end() -> None:
    second = Event()

    def work(start: int) -> int:
        if start == 0:
            assert second.wait(WAIT)
        if start == 1:
            second.set()
        return start * start

    assert collect(work, 20, 3) == [(start, start * start) for start in range(20)]
    assert left_threads() == []


def test_as_many_batches_run_at_once_as_there_are_threads() -> None:
    together = Barrier(3)
    running: set[str] = set()

    def work(start: int) -> None:
        running.add(threading.current_thread().name)
        together.wait(WAIT)

    collect(work, 9, 3)
    assert len(running) == 3


@pytest.mark.parametrize(("many", "threads"), [(3, 1), (1, 4), (0, 4)])
def test_what_cannot_run_at_once_runs_in_the_calling_thread(many: int, threads: int) -> None:
    here = threading.current_thread()
    ran_in = collect(lambda _: threading.current_thread(), many, threads)
    assert ran_in == [(start, here) for start in range(many)]


class Started(list[int]):
    """Starts of batches, with the last one that was used."""

    last = -1

    def __getitem__(self, position: int) -> int:  # type: ignore[override]
        self.last = max(self.last, position)
        return super().__getitem__(position)


def test_a_slow_batch_holds_later_ones_back() -> None:
    threads, starts, enough = 2, Started(range(50)), Event()
    ahead = BATCHES_PER_THREAD * threads
    seen: list[int] = []

    def work(start: int) -> None:
        if start == 0:
            assert enough.wait(WAIT)
            seen.append(starts.last)
        if start == ahead - 1:
            enough.set()

    run_in_order(work, starts, lambda _start, _result: None, threads)
    assert seen == [ahead - 1]


def test_an_error_ends_the_other_batches() -> None:
    together, begun = Barrier(3), list[int]()

    def work(start: int) -> None:
        begun.append(start)
        together.wait(WAIT)
        if start == 2:
            raise ModelError("refused")
        wait_for_cancellation()

    with pytest.raises(ModelError, match="refused"):
        collect(work, 50, 3)
    assert sorted(begun) == [0, 1, 2]
    assert left_threads() == []


def test_of_several_errors_the_first_batch_counts() -> None:
    together = Barrier(3)

    def work(start: int) -> None:
        together.wait(WAIT)
        if start < 2:
            with pytest.raises(Cancelled):
                wait_for_cancellation()
        raise ModelError(f"batch {start}")

    with pytest.raises(ModelError, match="batch 0"):
        collect(work, 3, 3)


def test_what_is_complete_is_passed_on_before_an_error() -> None:
    complete, results = Event(), list[tuple[int, int]]()

    def work(start: int) -> int:
        if start == 0:
            assert complete.wait(WAIT)
            raise ModelError("refused")
        complete.set()
        return start

    with pytest.raises(ModelError, match="refused"):
        run_in_order(work, range(2), lambda *result: results.append(result), 2)
    assert results == [(1, 1)]


@pytest.mark.parametrize(
    ("end", "error"), [(Deadline.cancel, Cancelled), (Deadline.expire, DeadlineExceeded)]
)
def test_the_end_of_the_request_ends_every_batch(
    end: Callable[[Deadline], None], error: type[Cancelled]
) -> None:
    together = Barrier(4)
    deadline = Deadline(1, clock=lambda: 0.0)

    def work(start: int) -> None:
        together.wait(WAIT)
        if start == 3:
            end(deadline)
        wait_for_cancellation()

    with deadline_scope(deadline), pytest.raises(Cancelled) as caught:
        collect(work, 50, 4)
    assert type(caught.value) is error
    assert left_threads() == []


def test_a_deadline_that_has_passed_is_seen_by_every_batch() -> None:
    now = [0.0]

    def work(start: int) -> None:
        now[0] = 6.0
        check_cancelled()
        pytest.fail("the deadline has passed")

    with deadline_scope(Deadline(5, clock=lambda: now[0])), pytest.raises(DeadlineExceeded):
        collect(work, 2, 2)


def test_an_interrupt_of_the_calling_thread_ends_every_batch() -> None:
    begun = Barrier(3)

    def work(start: int) -> None:
        if start in (1, 2):
            begun.wait(WAIT)
        if start:
            wait_for_cancellation()

    def interrupt(_start: int, _result: object) -> None:
        begun.wait(WAIT)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_order(work, range(9), interrupt, 3)
    assert left_threads() == []


def test_threads_have_the_context_of_the_caller() -> None:
    token = NAME.set("caller")
    try:
        found = collect(lambda _: NAME.get(), 8, 4)
    finally:
        NAME.reset(token)
    assert {name for _, name in found} == {"caller"}


def test_an_error_of_one_call_does_not_end_the_request() -> None:
    def work(start: int) -> None:
        raise ModelError("refused")

    with deadline_scope(Deadline()):
        with pytest.raises(ModelError):
            collect(work, 4, 2)
        check_cancelled()
        assert collect(lambda start: start, 4, 2) == [(n, n) for n in range(4)]
