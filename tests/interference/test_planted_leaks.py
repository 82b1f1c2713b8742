"""The state machine finds planted leaks, so that its silence proves something."""

import re
from collections.abc import Callable

import pytest

from docgraph.adapters.sql.database import script
from docgraph.adapters.sqlite.connection import PACKAGE, statements
from tests.interference.leaks import LEAKS, executed
from tests.interference.machine import Interference
from tests.interference.runs import EXAMPLES, NUMBER, prove
from tests.interference.stores import small_limits

RIGHTS = re.compile(r"is_visible\(([\w.]+)\)")
ALIVE = r"(SELECT in_scope(branch, valid_from, valid_to) FROM main.documents WHERE version = \1)"


def assert_caught() -> None:
    """By the same machine, in the same runs as `make test` has."""
    with small_limits(), pytest.raises(Interference):
        prove(NUMBER, EXAMPLES)


@pytest.mark.requirement(36)
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_planted_leak_is_caught(
    leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    executed.clear()
    assert_caught()
    assert executed[leak.__name__]


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    "view",
    [
        "visible_documents",
        "visible_nodes",
        "visible_definitions",
        "visible_references",
        "visible_chunks",
        "visible_relationships",
    ],
)
def test_a_view_that_asks_for_no_rights_is_caught(
    view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows of the requested snapshots are visible, without regard to rights."""
    whole = script(PACKAGE, "visible.sql")
    honest = next(s for s in statements(whole) if f"VIEW IF NOT EXISTS {view} AS" in s)
    leaking = RIGHTS.sub(ALIVE, honest)
    assert leaking != honest
    planted = whole.replace(honest, leaking)
    monkeypatch.setattr(f"{PACKAGE}.reader_pool.script", lambda *_: planted)
    assert_caught()
