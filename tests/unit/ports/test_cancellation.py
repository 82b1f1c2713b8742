"""Work ends when the client disconnects or its deadline has passed."""

import pytest

from docgraph.model.errors import GivenUp, TookTooLong
from docgraph.ports.cancellation import Deadline, check_cancelled, deadline_scope, on_cancel


def test_without_a_deadline_nothing_is_cancelled() -> None:
    check_cancelled()
    with on_cancel(lambda: pytest.fail("nobody left")):
        pass


def test_work_ends_when_the_client_disconnects() -> None:
    with deadline_scope(Deadline()) as deadline:
        check_cancelled()
        deadline.cancel()
        with pytest.raises(GivenUp, match="has disconnected"):
            check_cancelled()
    check_cancelled()


def test_work_ends_when_its_time_is_over() -> None:
    now = [0.0]
    with deadline_scope(Deadline(5, clock=lambda: now[0])):
        now[0] = 5.0
        check_cancelled()
        now[0] = 5.1
        with pytest.raises(TookTooLong, match="longer than 5 seconds"):
            check_cancelled()


def cut_off(deadline: Deadline) -> None:
    deadline.expire()
    deadline.cancel()
    raise OSError("the line is dead")


def test_a_callback_runs_once_when_the_work_is_cancelled() -> None:
    calls: list[str] = []
    with deadline_scope(Deadline()) as deadline:
        with on_cancel(lambda: calls.append("early")):
            pass
        with pytest.raises(TookTooLong), on_cancel(lambda: calls.append("now")):
            cut_off(deadline)
        with pytest.raises(TookTooLong), on_cancel(lambda: calls.append("late")):
            pytest.fail("nobody waits any more")
    assert calls == ["now"]


def test_an_error_while_somebody_waits_stays_what_it_is() -> None:
    with deadline_scope(Deadline()), pytest.raises(OSError, match="dead"), on_cancel(lambda: None):
        raise OSError("the line is dead")
