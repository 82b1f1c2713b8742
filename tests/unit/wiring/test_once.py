"""once: made when first needed, by one alone; what failed is tried again."""

import pytest

from docgraph.wiring.build import lazy_once


def test_it_is_made_when_first_needed_and_kept() -> None:
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    get = lazy_once(make)
    assert made == []
    assert get() is get()
    assert len(made) == 1


def test_nothing_may_be_what_was_made() -> None:
    tries: list[None] = []
    get = lazy_once(lambda: tries.append(None))
    assert (get(), get()) == (None, None)
    assert len(tries) == 1


def test_what_failed_is_tried_again() -> None:
    errors = [OSError("no model yet")]

    def make() -> str:
        if errors:
            raise errors.pop()
        return "model"

    get = lazy_once(make)
    with pytest.raises(OSError, match="no model yet"):
        get()
    assert get() == "model"
