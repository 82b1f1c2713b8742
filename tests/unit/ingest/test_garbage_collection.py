"""Garbage is collected rarely during an ingest, and as before after the last one."""

import gc

import pytest

from docgraph.ingest.garbage_collection import RARE, collected_rarely


def test_the_collector_is_as_before_after_the_last_of_several_ingests() -> None:
    usual = gc.get_threshold()
    first, second = collected_rarely(), collected_rarely()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold() == RARE
    first.__exit__(None, None, None)
    assert gc.get_threshold() == RARE
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_an_ingest_that_fails_restores_the_collector() -> None:
    usual = gc.get_threshold()
    with pytest.raises(ValueError, match="x"), collected_rarely():
        raise ValueError("x")
    assert gc.get_threshold() == usual
