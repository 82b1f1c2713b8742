"""Many small segments are searched as one: nobody can tell, and new ones are noticed."""

from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.ports.store import Store
from tests.conformance.store_rules import OVERS, vector, writing
from tests.support.lexical_scores import scores_of
from tests.support.small_world import document, write

HIDDEN = AccessRule("local", frozenset({"others"}))
WORDS = ("north wind", "east wind", "calm sea", "wind wind wind", "a storm at sea", "wind at sea")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A segment for each of the first snapshots."""
    monkeypatch.setattr("docgraph.adapters.indexes.segment_writer.MOST_SMALL", 100)
    store = SqliteStore(tmp_path / "store.db", now=lambda: "now", wait=5)
    for number, words in enumerate(WORDS):
        add(store, f"{number}.md", words)
    add(store, "hidden.md", "wind at sea", HIDDEN)
    return store


def add(store: Store, path: str, words: str, rule: AccessRule = LOCAL_ONLY) -> None:
    with writing(store) as writes:
        write(writes, [document(path, words, sections=True, rule=rule)])
        writes.publish()


def answers(store: Store) -> list[Any]:
    with store.open_session(local()) as reads:
        search = reads.search
        near = [
            search.nearest(vector("sea wind"), over=over, roll_up=roll_up, top=4)
            for over in OVERS
            for roll_up in (True, False)
        ]
        return [near, scores_of(search, ("wind", "sea", "nowhere"), roll_up=True)]


@pytest.mark.parametrize("apart", [0, 1, 3])
def test_joined_or_apart_the_answers_are_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch, apart: int
) -> None:
    before = answers(store)
    monkeypatch.setattr("docgraph.adapters.indexes.segment_cache.MOST_BLOCKS", apart)
    assert answers(store) == before
    assert answers(store) == before  # and again, from what was kept
    add(store, "new.md", "sea sea wind")
    joined = answers(store)
    monkeypatch.undo()
    assert joined == answers(store) != before
