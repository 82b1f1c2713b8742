"""Batches: every item once, in order, a few at a time."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.miners.titles import split_batches


@given(st.lists(st.integers()), st.integers(1, 7))
def test_every_item_comes_once_in_order_and_few_at_a_time(items: list[int], size: int) -> None:
    batches = list(split_batches(items, size))
    assert [one for batch in batches for one in batch] == items
    assert all(len(batch) == size for batch in batches[:-1])
    assert all(batches)


def test_no_more_is_read_than_is_returned() -> None:
    read: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            read.append(len(read))
            yield read[-1]

    assert next(split_batches(endless(), 3)) == (0, 1, 2)
    assert len(read) == 3
