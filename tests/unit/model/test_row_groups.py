"""The best row of each owner, and the best owners with ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.scoring import RowGroups, top_groups, top_with_ties

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), max_size=12)


def naive_best(found: list[tuple[int, int]]) -> dict[int, int]:
    best: dict[int, int] = {}
    for owner, score in found:
        best[owner] = max(score, best.get(owner, score))
    return best


def pair(
    found: list[tuple[int, int]],
) -> tuple[RowGroups, "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    owners = np.array([owner for owner, _ in found], dtype=np.int64)
    return RowGroups(owners), np.array([score for _, score in found], dtype=np.int64)


@given(rows)
def test_each_owner_has_its_best_row(
    found: list[tuple[int, int]],
) -> None:
    owners, scores = pair(found)
    best = owners.best(scores)
    assert dict(zip(owners.owners.tolist(), best.tolist(), strict=True)) == naive_best(found)
    assert len(owners.owners) == len(naive_best(found))


@given(rows, st.integers(1, 5))
def test_ties_with_the_last_are_included(found: list[tuple[int, int]], limit: int) -> None:
    kept = top_groups(*pair(found), limit)
    ranked = sorted(naive_best(found).values(), reverse=True)
    edge = ranked[:limit][-1] if ranked else 0
    expected = {owner: score for owner, score in naive_best(found).items() if score >= edge}
    assert dict(zip(*(column.tolist() for column in kept), strict=True)) == expected


def test_few_owners_are_all_included() -> None:
    owners, scores = top_with_ties(np.array([3, 1]), np.array([0.5, 0.5]), 2)
    assert (owners.tolist(), scores.tolist()) == ([3, 1], [0.5, 0.5])
