"""Dot products of selected rows are the same integers, however the rows are read."""

import numpy as np
import pytest

from docgraph.adapters.indexes.packed_vectors import dot_products

ROWS = np.random.default_rng(1).integers(-400, 400, (1_000, 16)).astype(np.int16)
QUERY = ROWS[7].astype(np.float32)
SELECTIONS = {
    "all": np.arange(1_000),
    "none": np.arange(0),
    "one": np.array([999]),
    "a range": np.arange(300, 900),
    "half of them": np.arange(0, 1_000, 2),
    "a range with a gap": np.delete(np.arange(1_000), 500),
    "a range in another order": np.array([3, 5, 4, 6]),
    "one row twice": np.array([3, 4, 4, 6]),
    "a row that is not kept, then a range": np.array([-1, 0, 1, 2]),
}


@pytest.mark.parametrize("selected", SELECTIONS.values(), ids=SELECTIONS)
@pytest.mark.parametrize("kind", [np.int16, np.float32])
def test_a_product_does_not_depend_on_how_its_row_is_read(
    selected: np.typing.NDArray[np.int64], kind: type[np.generic]
) -> None:
    expected = ROWS[selected].astype(np.int64) @ ROWS[7].astype(np.int64)
    assert dot_products(ROWS.astype(kind), QUERY, selected).tolist() == expected.tolist()
