"""Views are kept by all that decides what someone sees, and by nothing less."""

from dataclasses import replace
from typing import Any

import pytest

from docgraph.adapters.indexes.chunk_vectors import VectorRows
from docgraph.adapters.sql import tenant_cache
from docgraph.adapters.sql.tenant_cache import View, Views
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import Principal
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector

READER = local()


class Looks:
    """Counts how often somebody had to look."""

    def __init__(self) -> None:
        self.views = Views()
        self.times = 0

    def of(self, asker: Principal = READER, changes: int = 1, *wanted: SnapshotSelector) -> View:
        return self.views.of(changes, asker, wanted or ALL_REPOSITORIES, self._look)

    def _look(self) -> View:
        self.times += 1
        visible: Any = object()
        return View(visible, VectorRows())


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    "change",
    [
        {"tenant": "other"},
        {"groups": frozenset({"board"})},
        {"labels": frozenset({"secret"})},
        {"clearance": 3},
    ],
)
def test_other_rights_have_a_view_of_their_own(change: dict[str, Any]) -> None:
    looks = Looks()
    assert looks.of() is not looks.of(replace(READER, **change))
    assert looks.times == 2


def test_another_state_or_another_wish_is_looked_at_anew() -> None:
    looks = Looks()
    found = {
        id(looks.of()),
        id(looks.of(READER, 2)),
        id(looks.of(READER, 1, SnapshotSelector("r"))),
    }
    assert len(found) == looks.times == 3


def test_the_same_rights_under_another_name_share_a_view() -> None:
    looks = Looks()
    assert looks.of() is looks.of(replace(READER, id="somebody"))
    assert looks.times == 1


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenant_cache, "MOST_VIEWS", 2)
    looks = Looks()
    for changes in (1, 2, 3, 1):
        looks.of(READER, changes)
    assert looks.times == 4
    looks.of(READER, 3)
    assert looks.times == 4


def test_large_views_push_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenant_cache, "MOST_ROWS", 10)
    monkeypatch.setattr(View, "size", 6)
    looks = Looks()
    for changes in (1, 2, 1):
        looks.of(READER, changes)
    assert looks.times == 3
