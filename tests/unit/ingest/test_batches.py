"""Many things, a few at a time."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.batches import batched


@given(st.lists(st.integers()), st.integers(1, 7))
def test_every_thing_comes_once_in_order_and_few_at_a_time(things: list[int], size: int) -> None:
    batches = list(batched(things, size))
    assert [one for batch in batches for one in batch] == things
    assert all(len(batch) == size for batch in batches[:-1])
    assert all(batches)


def test_no_more_is_taken_than_is_given_out() -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    assert next(batched(endless(), 3)) == (0, 1, 2)
    assert len(taken) == 3
