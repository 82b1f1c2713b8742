"""However small the cache is, answers are the same, and no more is held than its bound."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docgraph.adapters.indexes.version_vectors import VersionVectors
from docgraph.adapters.sql.tenant_cache import TenantCache
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import EVERYONE, LOCAL, AccessRule, Person, Principal
from tests.conformance.store_rules import OVERS, vector, writing
from tests.support.lexical_scores import scores_of
from tests.support.small_world import document, write

GROUPS = ("red", "green", "blue")
QUESTIONS = ("valve 3 of red", "green pump", "the blue pump 17", "valve", "common words")
RULES = [AccessRule(LOCAL, frozenset({group})) for group in (EVERYONE, *GROUPS)]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Several segments, and several blocks of them."""
    monkeypatch.setattr("docgraph.adapters.indexes.segment_writer.MOST_SMALL", 100)
    monkeypatch.setattr("docgraph.adapters.indexes.segment_cache.MOST_BLOCKS", 3)
    monkeypatch.setattr("docgraph.adapters.indexes.segment_cache.BLOCK_BYTES", 4000)
    store = SqliteStore(tmp_path / "store.db", now=lambda: "now", wait=5)
    for number in range(8):
        made = [
            document(
                f"{number}-{at}.md",
                f"valve {at} of {GROUPS[at % 3]}",
                f"pump {number} common words",
                sections=True,
                rule=RULES[at % 4],
            )
            for at in range(12)
        ]
        with writing(store) as writes:
            write(writes, made)
            writes.publish()
    return tmp_path / "store.db"


def readers() -> Iterator[Principal]:
    for group in GROUPS:
        person = Person(group, LOCAL, groups=frozenset({group}))
        yield impersonated(person, local())


def answers(store: SqliteStore, reader: Principal, question: str) -> object:
    with store.open_session(reader) as reads:
        search = reads.search
        near = [
            search.nearest(vector(question), over=over, roll_up=roll_up, top=5)
            for over in OVERS
            for roll_up in (True, False)
        ]
        ids = tuple(node for node, _ in near[0])
        best = search.best_chunk_similarities(vector(question), ids, roll_up=True)
        words = tuple(sorted(set(question.split())))
        return near, best, scores_of(search, words, roll_up=True), search.kinds(ids)


def measured(value: Any, known: set[int]) -> int:
    """Bytes of all arrays that can be reached from here, each of them once."""
    if id(value) in known:
        return 0
    known.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None else measured(value.base, known)
    if isinstance(value, VersionVectors | bytes):  # of the former, rows are reserved ahead
        return value.nbytes if isinstance(value, VersionVectors) else len(value)
    if isinstance(value, dict):
        return sum(measured(one, known) for one in value.values())
    if isinstance(value, tuple | list):
        return sum(measured(one, known) for one in value)
    names = (*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ()))
    return sum(measured(getattr(value, name, None), known) for name in names)


def cached(cache: TenantCache) -> int:
    """What the cache's values take, whatever it thinks they do."""
    known: set[int] = {id(cache)}
    entries: dict[tuple[str, str, Any], tuple[Any, int]] = vars(cache)["_entries"]
    return sum(measured(value, known) for value, _ in entries.values())


@pytest.mark.parametrize("limit", [0, 3_000, 20_000, 100_000, 2**30])
def test_a_bound_in_bytes_holds_and_changes_no_answer(file: Path, limit: int) -> None:
    generous = SqliteStore(file, now=lambda: "now")
    store = SqliteStore(file, now=lambda: "now", cache_bytes=limit)
    cache: TenantCache = vars(store)["_cache"]
    most = 0
    for question in QUESTIONS:
        for reader in readers():
            assert answers(store, reader, question) == answers(generous, reader, question)
            assert cached(cache) <= cache.nbytes <= limit
            most = max(most, cache.nbytes)
    assert most >= limit / 2 or limit > 10**6
    assert cached(vars(generous)["_cache"]) > 100_000
