"""Work is done for somebody, and ends when they leave or have waited long enough."""

import pytest

from docgraph.model.errors import GivenUp, TookTooLong
from docgraph.ports.cancellation import Waiting, called_back, still_wanted, waited_for


def test_where_nobody_was_named_everything_is_wanted() -> None:
    still_wanted()
    with called_back(lambda: pytest.fail("nobody left")):
        pass


def test_work_ends_when_its_asker_has_left() -> None:
    with waited_for(Waiting()) as asker:
        still_wanted()
        asker.give_up()
        with pytest.raises(GivenUp, match="has left"):
            still_wanted()
    still_wanted()


def test_work_ends_when_its_time_is_over() -> None:
    now = [0.0]
    with waited_for(Waiting(5, clock=lambda: now[0])):
        now[0] = 5.0
        still_wanted()
        now[0] = 5.1
        with pytest.raises(TookTooLong, match="longer than 5 seconds"):
            still_wanted()


def cut_off(asker: Waiting) -> None:
    asker.run_out()
    asker.give_up()
    raise OSError("the line is dead")


def test_who_sits_and_waits_is_called_back_once() -> None:
    calls: list[str] = []
    with waited_for(Waiting()) as asker:
        with called_back(lambda: calls.append("early")):
            pass
        with pytest.raises(TookTooLong), called_back(lambda: calls.append("now")):
            cut_off(asker)
        with pytest.raises(TookTooLong), called_back(lambda: calls.append("late")):
            pytest.fail("nobody waits any more")
    assert calls == ["now"]


def test_an_error_while_somebody_waits_stays_what_it_is() -> None:
    with waited_for(Waiting()), pytest.raises(OSError, match="dead"), called_back(lambda: None):
        raise OSError("the line is dead")
