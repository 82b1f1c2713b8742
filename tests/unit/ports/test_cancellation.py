"""A request ends early when its client disconnects or its deadline passes."""

import threading

import pytest

from docgraph.model.errors import Cancelled, DeadlineExceeded
from docgraph.ports.cancellation import (
    Deadline,
    cancellable_sleep,
    check_cancelled,
    deadline_scope,
    inner_deadline,
    on_cancel,
)


def test_without_a_deadline_nothing_is_cancelled() -> None:
    check_cancelled()
    with on_cancel(lambda: pytest.fail("nothing was cancelled")):
        pass


def test_work_ends_when_the_client_disconnects() -> None:
    with deadline_scope(Deadline()) as deadline:
        check_cancelled()
        deadline.cancel()
        with pytest.raises(Cancelled, match="disconnected"):
            check_cancelled()
    check_cancelled()


def test_work_ends_at_its_deadline() -> None:
    now = [0.0]
    with deadline_scope(Deadline(5, clock=lambda: now[0])):
        now[0] = 5.0
        check_cancelled()
        now[0] = 5.1
        with pytest.raises(DeadlineExceeded, match="longer than 5 seconds"):
            check_cancelled()


def interrupt(deadline: Deadline) -> None:
    deadline.expire()
    deadline.cancel()
    raise OSError("the connection is dead")


def test_a_blocked_call_is_interrupted_once() -> None:
    calls: list[str] = []
    with deadline_scope(Deadline()) as deadline:
        with on_cancel(lambda: calls.append("early")):
            pass
        with pytest.raises(DeadlineExceeded), on_cancel(lambda: calls.append("now")):
            interrupt(deadline)
        with pytest.raises(DeadlineExceeded), on_cancel(lambda: calls.append("late")):
            pytest.fail("the request has ended")
    assert calls == ["now"]


def test_an_error_of_a_request_that_goes_on_is_not_replaced() -> None:
    with deadline_scope(Deadline()), pytest.raises(OSError, match="dead"), on_cancel(lambda: None):
        raise OSError("the connection is dead")


def interrupted_part(part: Deadline, ended: Deadline, calls: list[str]) -> None:
    """What runs in the part when one of the deadlines ends."""
    with deadline_scope(part), on_cancel(lambda: calls.append("now")):
        ended.cancel()
        check_cancelled()


def test_a_part_of_a_request_ends_alone() -> None:
    calls: list[str] = []
    with deadline_scope(Deadline()), inner_deadline() as inner:
        with pytest.raises(Cancelled):
            interrupted_part(inner, inner, calls)
        check_cancelled()
    assert calls == ["now"]


def test_a_part_of_a_request_ends_with_it() -> None:
    calls: list[str] = []
    whole = Deadline()
    with deadline_scope(whole), inner_deadline() as inner:
        with pytest.raises(Cancelled):
            interrupted_part(inner, whole, calls)
        with pytest.raises(Cancelled):
            check_cancelled()
    assert calls == ["now"]


def test_a_part_says_why_the_request_ended() -> None:
    with deadline_scope(Deadline(5)) as whole, inner_deadline() as inner:
        whole.expire()
        with pytest.raises(DeadlineExceeded, match="longer than 5 seconds"):
            inner.check()


def test_a_part_ends_when_the_deadline_of_the_request_has_passed() -> None:
    now = [0.0]
    with deadline_scope(Deadline(5, clock=lambda: now[0])), inner_deadline() as inner:
        now[0] = 5.1
        with pytest.raises(DeadlineExceeded):
            inner.check()


def test_a_sleep_ends_when_the_request_is_cancelled() -> None:
    errors: list[Cancelled] = []
    deadline = Deadline()

    def sleep() -> None:
        with deadline_scope(deadline):
            try:
                cancellable_sleep(3_600)
            except Cancelled as error:
                errors.append(error)

    sleeper = threading.Thread(target=sleep, daemon=True)
    sleeper.start()
    deadline.cancel()
    sleeper.join(60)
    assert not sleeper.is_alive()
    assert len(errors) == 1


def test_a_sleep_of_a_request_that_goes_on_is_no_error() -> None:
    cancellable_sleep(0.001)
    with deadline_scope(Deadline()):
        cancellable_sleep(0.001)
