"""Connections are handed from question to question; rights and transactions are not."""

import sqlite3
from pathlib import Path

import pytest

from docgraph.adapters.sqlite import reader_pool
from docgraph.adapters.sqlite.reader_pool import ReaderPool
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from tests.conformance.store_rules import ids, vector, writing
from tests.support.small_world import document, write


def filled(path: Path, *texts: str) -> SqliteStore:
    store = SqliteStore(path, now=lambda: "now", wait=5)
    with writing(store) as writes:
        write(writes, [document(f"{text}.md", text) for text in texts])
        writes.publish()
    return store


def near(store: SqliteStore) -> list[str]:
    with store.open_session(local()) as reads:
        return ids(reads.search.nearest(vector("wind"), over="documents", roll_up=True, top=9))


def kept(store: SqliteStore) -> ReaderPool:
    found: ReaderPool = vars(store)["_readers"]
    return found


def idle(store: SqliteStore) -> int:
    return len(vars(kept(store))["_idle"])


@pytest.mark.requirement(36)
def test_a_reused_connection_shows_nothing_until_rights_are_bound(tmp_path: Path) -> None:
    store = filled(tmp_path / "store.db", "wind")
    assert near(store) == ["r:wind.md"]
    pool = kept(store)
    with pool.reading(pool.file_id()) as reader:
        for view in ("visible_documents", "visible_nodes", "visible_chunks", "visible_texts"):
            assert reader.connection.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)


def test_one_connection_serves_successive_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path / "store.db", "wind")
    near(store)

    def no_more(_path: Path) -> None:
        pytest.fail("a connection is there already")

    monkeypatch.setattr(reader_pool, "connect", no_more)
    assert near(store) == near(store)


def test_a_failed_question_leaves_no_state_in_the_pool(tmp_path: Path) -> None:
    store = filled(tmp_path / "store.db", "wind")
    near(store)
    with pytest.raises(RuntimeError), store.open_session(local()):
        raise RuntimeError
    assert idle(store) == 0
    assert near(store) == ["r:wind.md"]


def test_the_number_of_idle_connections_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_pool, "MOST_IDLE", 1)
    store = filled(tmp_path / "store.db", "wind")
    with store.open_session(local()), store.open_session(local()):
        assert near(store) == ["r:wind.md"]
    assert idle(store) == 1


def test_a_replaced_file_is_another_store(tmp_path: Path) -> None:
    """With as many changes as the first, and other documents under the same numbers."""
    store = filled(tmp_path / "store.db", "wind")
    assert near(store) == ["r:wind.md"]
    filled(tmp_path / "other.db", "sea", "storm")
    for rest in ("-wal", "-shm"):
        (tmp_path / f"store.db{rest}").unlink(missing_ok=True)
    (tmp_path / "other.db").replace(tmp_path / "store.db")
    assert sorted(near(store)) == ["r:sea.md", "r:storm.md"]


def test_a_session_gives_nothing_after_its_end(tmp_path: Path) -> None:
    """The connection behind it is the next reader's by then."""
    store = filled(tmp_path / "store.db", "wind")
    with store.open_session(local()) as reads:
        assert reads.counts()
    with store.open_session(local()), pytest.raises(sqlite3.ProgrammingError):
        reads.counts()


def test_a_pruned_documents_vector_number_is_not_reused(tmp_path: Path) -> None:
    """Its number may be given to another's, which a process that asked before must notice."""
    store = filled(tmp_path / "store.db", "wind", "calm sea")

    def measured(node: str) -> dict[str, int]:
        with store.open_session(local()) as reads:
            return reads.search.best_chunk_similarities(vector("sea"), (node,), roll_up=True)

    assert measured("r:calm sea.md")
    with writing(store) as writes:
        writes.documents.remove(["calm sea.md"])
        writes.publish()
    store.prune("local", "r", "main", 1)
    with writing(store) as writes:
        write(writes, [document("storm.md", "a storm at night")])
        writes.publish()
    fresh = SqliteStore(tmp_path / "store.db", now=lambda: "now")
    with fresh.open_session(local()) as reads:
        expected = reads.search.best_chunk_similarities(
            vector("sea"), ("r:storm.md",), roll_up=True
        )
    assert measured("r:storm.md") == expected


def test_connections_are_reopened_after_a_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path / "store.db", "wind")
    near(store)
    parents = vars(kept(store))["_idle"][0]
    monkeypatch.setattr("docgraph.adapters.sqlite.reader_pool.os.getpid", lambda: -1)
    assert near(store) == ["r:wind.md"]
    assert vars(kept(store))["_idle"] != [parents]
    assert parents.connection.execute("SELECT 1").fetchone() == (1,)  # still the parent's to use
    monkeypatch.undo()
    parents.connection.close()
