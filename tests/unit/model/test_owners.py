"""The best row of each owner speaks for it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.scoring import RowGroups, top_groups, top_with_ties

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), max_size=12)


def by_hand(found: list[tuple[int, int]]) -> dict[int, int]:
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
def test_the_best_of_each_owner_is_kept_wherever_its_rows_stand(
    found: list[tuple[int, int]],
) -> None:
    owners, scores = pair(found)
    best = owners.best(scores)
    assert dict(zip(owners.owners.tolist(), best.tolist(), strict=True)) == by_hand(found)
    assert len(owners.owners) == len(by_hand(found))


@given(rows, st.integers(1, 5))
def test_whoever_ties_with_the_last_is_there_too(found: list[tuple[int, int]], most: int) -> None:
    kept = top_groups(*pair(found), most)
    ranked = sorted(by_hand(found).values(), reverse=True)
    edge = ranked[:most][-1] if ranked else 0
    expected = {owner: score for owner, score in by_hand(found).items() if score >= edge}
    assert dict(zip(*(column.tolist() for column in kept), strict=True)) == expected


def test_few_are_all_kept() -> None:
    owners, scores = top_with_ties(np.array([3, 1]), np.array([0.5, 0.5]), 2)
    assert (owners.tolist(), scores.tolist()) == ([3, 1], [0.5, 0.5])
