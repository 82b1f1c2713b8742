"""lazy_once: a value is made on first use and stored; after an error it is tried again."""

import pytest

from docgraph.wiring.build import lazy_once


def test_a_value_is_made_on_first_use_and_stored() -> None:
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    get = lazy_once(make)
    assert made == []
    assert get() is get()
    assert len(made) == 1


def test_the_value_may_be_none() -> None:
    tries: list[None] = []
    get = lazy_once(lambda: tries.append(None))
    assert (get(), get()) == (None, None)
    assert len(tries) == 1


def test_after_an_error_it_is_tried_again() -> None:
    errors = [OSError("no model yet")]

    def make() -> str:
        if errors:
            raise errors.pop()
        return "model"

    get = lazy_once(make)
    with pytest.raises(OSError, match="no model yet"):
        get()
    assert get() == "model"
