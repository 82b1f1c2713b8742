"""A request ends early when its client disconnects or its deadline passes."""

import pytest

from docgraph.model.errors import Cancelled, DeadlineExceeded
from docgraph.ports.cancellation import Deadline, check_cancelled, deadline_scope, on_cancel


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
