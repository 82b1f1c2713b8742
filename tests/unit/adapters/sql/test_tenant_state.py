"""Visibility is kept by all that decides what someone sees, and by nothing less."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docgraph.adapters.sql.tenant_cache import TenantCache
from docgraph.adapters.sql.tenant_state import TenantState
from docgraph.adapters.sql.version_table import Counted, VersionTable
from docgraph.adapters.sql.visibility import Visibility, resolve_visibility
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import Principal
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector

READER = local()
NUMBERS = np.zeros(10, dtype=np.int64)


class Lookups:
    """Counts how often visibility had to be resolved."""

    def __init__(self, limit: int = 2**20) -> None:
        self.cache = TenantCache(limit)
        self.times = 0

    def of(
        self, reader: Principal = READER, changes: int = 1, *selectors: SnapshotSelector
    ) -> Visibility:
        counted = Counted(changes, 0, f"{changes:032}")
        table = VersionTable(
            counted,
            reader.tenant,
            *(NUMBERS, NUMBERS, NUMBERS, NUMBERS - 1, NUMBERS, NUMBERS),
            {},
            (),
            {},
        )
        state = TenantState(self.cache, reader.tenant)
        return state.visibility(table, reader, selectors or ALL_REPOSITORIES, self._resolve)

    def _resolve(self, *asked: Any) -> Visibility:
        self.times += 1
        table, reader, _ = asked
        return resolve_visibility(table, reader, ())


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
def test_other_rights_are_resolved_by_themselves(change: dict[str, Any]) -> None:
    lookups = Lookups()
    assert lookups.of() is not lookups.of(replace(READER, **change))
    assert lookups.times == 2


def test_another_state_or_another_selector_is_resolved_anew() -> None:
    lookups = Lookups()
    found = {
        id(lookups.of()),
        id(lookups.of(READER, 2)),
        id(lookups.of(READER, 1, SnapshotSelector("r"))),
    }
    assert len(found) == lookups.times == 3


def test_the_same_rights_under_another_name_share_what_is_resolved() -> None:
    lookups = Lookups()
    assert lookups.of() is lookups.of(replace(READER, id="somebody"))
    assert lookups.times == 1


def test_what_was_not_used_for_longest_goes_first() -> None:
    lookups = Lookups(limit=600)  # space for two
    for changes in (1, 2, 1, 3):
        lookups.of(READER, changes)
    assert lookups.times == 3
    lookups.of(READER, 1)
    assert lookups.times == 3
    lookups.of(READER, 2)
    assert lookups.times == 4
