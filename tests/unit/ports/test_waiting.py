"""Work is done for somebody, and ends when they leave or have waited long enough."""

import pytest

from docgraph.model.errors import GivenUp, TookTooLong
from docgraph.ports.cancellation import Deadline, check_cancelled, deadline_scope, on_cancel


def test_where_nobody_was_named_everything_is_wanted() -> None:
    check_cancelled()
    with on_cancel(lambda: pytest.fail("nobody left")):
        pass


def test_work_ends_when_its_asker_has_left() -> None:
    with deadline_scope(Deadline()) as asker:
        check_cancelled()
        asker.cancel()
        with pytest.raises(GivenUp, match="has left"):
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


def cut_off(asker: Deadline) -> None:
    asker.expire()
    asker.cancel()
    raise OSError("the line is dead")


def test_who_sits_and_waits_is_called_back_once() -> None:
    calls: list[str] = []
    with deadline_scope(Deadline()) as asker:
        with on_cancel(lambda: calls.append("early")):
            pass
        with pytest.raises(TookTooLong), on_cancel(lambda: calls.append("now")):
            cut_off(asker)
        with pytest.raises(TookTooLong), on_cancel(lambda: calls.append("late")):
            pytest.fail("nobody waits any more")
    assert calls == ["now"]


def test_an_error_while_somebody_waits_stays_what_it_is() -> None:
    with deadline_scope(Deadline()), pytest.raises(OSError, match="dead"), on_cancel(lambda: None):
        raise OSError("the line is dead")
