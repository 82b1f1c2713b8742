"""The SQLite store keeps the rules of every store, and some of its own."""

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.connection import connect
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.document import Document
from docgraph.model.errors import StoreError, StoreFull, WrongSchema
from docgraph.ports.store import Store
from tests.conformance.access_rules import AccessRules
from tests.conformance.edge_rules import EdgeRules
from tests.conformance.edges_in_time_rules import EdgesInTimeRules
from tests.conformance.embedder_rules import EmbedderRules
from tests.conformance.queue_rules import Patient, QueueRules
from tests.conformance.shared_name_rules import SharedNameRules
from tests.conformance.state_rules import StateRules
from tests.conformance.stated_edge_rules import StatedEdgeRules
from tests.conformance.store_rules import StoreRules, writing
from tests.conformance.writer_rules import WriterRules
from tests.support.graph_edges import all_edges
from tests.support.small_world import document, reference, write


def opened(path: Path, wait: float = 5) -> SqliteStore:
    return SqliteStore(path, now=lambda: "2020-01-01T00:00:00+00:00", wait=wait)


class TestSqliteStore(
    StoreRules,
    StatedEdgeRules,
    EdgeRules,
    EdgesInTimeRules,
    SharedNameRules,
    WriterRules,
    AccessRules,
    EmbedderRules,
    QueueRules,
    StateRules,
):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return opened(tmp_path / "store.db")

    @pytest.fixture
    def another_store(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: opened(tmp_path / "another.db")

    @pytest.fixture
    def patient(self, tmp_path: Path) -> Patient:
        return lambda wait: opened(tmp_path / "store.db", wait)


def test_a_store_from_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    opened(tmp_path / "store.db")
    with sqlite3.connect(tmp_path / "store.db") as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(
        WrongSchema, match=r"schema 99; this docgraph reads schema \d+\. Ingest the sources anew"
    ):
        opened(tmp_path / "store.db")


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are my notes, not a database\n" * 50)
    with pytest.raises(StoreError, match="not a docgraph store"):
        opened(text)
    assert text.read_text().startswith("these are my notes")
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE mine (x)")
    foreign.close()
    with pytest.raises(StoreError, match="not a docgraph store"):
        opened(tmp_path / "foreign.db")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_owner_can_read_a_new_store_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    (tmp_path / "link.db").symlink_to(path)
    before = os.umask(0)
    try:
        store = opened(tmp_path / "link.db")
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            beside = {file for file in tmp_path.iterdir() if not file.is_symlink()}
            assert {file.suffix for file in beside} == {".db", ".db-wal", ".db-shm", ".lock"}
            assert {stat.S_IMODE(file.stat().st_mode) for file in beside} == {0o600}
            writes.publish()
        path.chmod(0o664)
        opened(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_a_path_that_cannot_hold_a_store_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be used"):
        opened(tmp_path)


def fill(store: Store) -> None:
    with writing(store) as writes:
        for number in range(500):
            write(writes, [document(f"{number}.md", "word " * 2000 + str(number))])


def test_a_full_disk_is_reported_and_the_old_snapshot_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "store.db")
    with writing(store) as writes:
        write(writes, [document("a.md", "one")])
        writes.publish()
    size = (tmp_path / "store.db").stat().st_size // 4096

    def cramped(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute(f"PRAGMA max_page_count = {size + 60}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr("docgraph.adapters.sqlite.store.connect", cramped)
        with pytest.raises(StoreFull, match="disk is full"):
            fill(store)
    with store.open_session(local()) as reads:
        assert reads.counts() == {"nodes.document": 1, "chunks": 1}
    with writing(store) as writes:
        write(writes, [document("b.md", "two")])
        writes.publish()
    with store.open_session(local()) as reads:
        assert reads.counts() == {"nodes.document": 2, "chunks": 2}


@pytest.mark.requirement(9)
def test_opening_a_store_never_waits_for_a_write_in_progress(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")
    with writing(store) as writes:
        write(writes, [document("a.md", "one")])
        writes.publish()
    writer = connect(tmp_path / "store.db")
    writer.execute("BEGIN IMMEDIATE")
    found: list[dict[str, int]] = []

    def ask() -> None:
        with opened(tmp_path / "store.db").open_session(local()) as reads:
            found.append(reads.counts())

    other = threading.Thread(target=ask)
    other.start()
    other.join(60)
    writer.close()
    assert found == [{"nodes.document": 1, "chunks": 1}]


def test_a_damaged_store_is_reported(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")
    with writing(store) as writes:
        write(writes, [document(f"{n}.md", "word " * 500) for n in range(50)])
        writes.publish()
    with connect(tmp_path / "store.db") as checkpoint:
        checkpoint.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    checkpoint.close()
    with (tmp_path / "store.db").open("r+b") as raw:
        raw.seek(4096)
        raw.write(b"\xff" * 65536)
    with pytest.raises(StoreError, match="damaged"):
        ask_everything(opened(tmp_path / "store.db"))


def ask_everything(store: Store) -> None:
    with store.open_session(local()) as reads:
        reads.counts()
        all_edges(reads.graph)


def rows(path: Path) -> dict[str, int]:
    """How many rows each table of document versions holds."""
    raw = sqlite3.connect(path)
    tables = (
        *("documents", "document_nodes", "vector_chunks"),
        *("definitions", "node_references", "segments"),
    )
    counts = {t: raw.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables}
    raw.close()
    return counts


@pytest.mark.requirement(9)
def test_unpublished_rows_are_removed_by_the_next_writer(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")

    def halves(text: str) -> Document:
        name = reference("r:a.md", "k", at=1)
        return document("a.md", text, sections=True, definitions={"k": 0}, references=[name])

    with writing(store) as writes:
        write(writes, [halves("one")])
        writes.publish()
    before = rows(tmp_path / "store.db")
    assert all(before.values())
    with writing(store) as writes:
        write(writes, [halves("two"), document("b.md", "b", references=[reference("r:b.md", "k")])])
    assert rows(tmp_path / "store.db") != before
    with writing(store):
        pass
    assert rows(tmp_path / "store.db") == before


@pytest.mark.requirement(10)
def test_text_and_vectors_are_stored_once_however_many_branches_hold_them(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")
    for branch in ("main", "one", "two"):
        with writing(store, branch=branch) as writes:
            write(writes, [document("a.md", "the same text")])
            writes.publish()
    raw = sqlite3.connect(tmp_path / "store.db")
    assert raw.execute("SELECT count(*) FROM contents").fetchone() == (1,)
    assert raw.execute("SELECT count(*) FROM vectors").fetchone() == (1,)
    raw.close()
