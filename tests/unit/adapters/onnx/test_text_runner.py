"""Short texts of equal length run together, longer ones alone, each text once."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.onnx.text_runner import SHORT, batches, parallel_map

LENGTHS = st.lists(st.integers(0, SHORT + 3), max_size=60)


@given(LENGTHS, st.integers(1, 8))
def test_every_text_runs_once(lengths: list[int], largest: int) -> None:
    found = [position for batch in batches(lengths, largest) for position in batch]
    assert sorted(found) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 8))
def test_texts_that_run_together_are_short_and_of_equal_length(
    lengths: list[int], largest: int
) -> None:
    for batch in batches(lengths, largest):
        assert len({lengths[position] for position in batch}) == 1
        assert len(batch) <= (largest if lengths[batch[0]] < SHORT else 1)


def test_batches_are_as_large_as_allowed_and_the_longest_texts_come_first() -> None:
    lengths = [5, SHORT, 5, 9, 5, SHORT, 5]
    assert list(batches(lengths, 3)) == [[1], [5], [3], [0, 2, 4], [6]]


def test_results_are_in_the_order_of_the_items_on_any_number_of_cores() -> None:
    for cores in (1, 3):
        assert parallel_map(str, range(20), cores) == [str(number) for number in range(20)]
