"""Which snapshots a question is asked of."""

import pytest

from docgraph.model.errors import BadInput
from docgraph.model.snapshot import (
    ALL_REPOSITORIES,
    Scope,
    SnapshotName,
    SnapshotSelector,
    SourceLocation,
)

A1, A2, B1 = SnapshotName("a", "main", 1), SnapshotName("a", "next", 2), SnapshotName("b", "m", 1)


@pytest.mark.requirement(73)
@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("/srv/a", "/srv/a", True),
        ("/srv/a/b", "/srv/a", True),
        ("/srv", "/srv/a", True),
        ("/", "/srv/a", True),
        ("/srv/ab", "/srv/a", False),
        ("/srv/b", "/srv/a", False),
    ],
)
def test_a_source_overlaps_those_inside_it_and_those_around_it(
    one: str, other: str, overlap: bool
) -> None:
    assert SourceLocation(one, "main").overlaps(SourceLocation(other)) is overlap
    assert SourceLocation(other).overlaps(SourceLocation(one)) is overlap


@pytest.mark.requirement(10)
def test_a_scope_names_each_repository_once_and_in_order() -> None:
    assert Scope((A1, B1)).snapshots == (A1, B1)
    for wrong in ((B1, A1), (A1, A1), (A1, A2)):
        with pytest.raises(BadInput, match="each repository once, in order"):
            Scope(wrong)


@pytest.mark.requirement(10)
def test_a_snapshot_number_needs_its_repository_and_branch() -> None:
    assert SnapshotSelector("a", "main", 3).snapshot == 3
    for repository, branch in ((None, None), ("a", None), (None, "main")):
        with pytest.raises(BadInput, match="needs its repository and branch"):
            SnapshotSelector(repository, branch, 3)


def test_an_ingestion_id_is_unique_whatever_the_names() -> None:
    assert A1.ingestion_id == "a:main:1"
    names = (
        SnapshotName("a:b", "c", 1),
        SnapshotName("a", "b:c", 1),
        SnapshotName("a%3Ab", "c", 1),
    )
    assert len({name.ingestion_id for name in names}) == len(names)


def test_by_default_everything_visible_is_searched() -> None:
    assert (SnapshotSelector(None, None, None),) == ALL_REPOSITORIES
