"""A store with an external vector index: same bytes, no vectors in memory, faults of the index."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from unittest import mock

import pytest
from docgraph_faiss import FAISS, FaissIndex

from docgraph.adapters.indexes.segment_writer import SegmentWriter
from docgraph.adapters.indexes.segments import Segment
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.model.errors import BadInput, StoreError
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.indexes import IndexSettings, ReadFilter, VectorHits, VectorIndex, VectorRows
from docgraph.ports.search_reads import Level
from docgraph.ports.store import Store
from docgraph.ports.writes import SnapshotWriter
from docgraph.testing.small_store import (
    BLUE,
    RED,
    HashedWords,
    SmallStore,
    question_vector,
    reader,
)
from docgraph.testing.vector_indexes import (
    DAY,
    READERS,
    OpenIndex,
    VectorIndexRules,
    made_rows,
    reading,
    texts,
)
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings
from tests.interference.probes import everything
from tests.interference.store_factories import OpenedStore
from tests.interference.stores import MachineStore
from tests.support import guarded_world
from tests.support.small_world import document, write

ASKED = ("The valve of Marie Curie", "Part of marklocalrmainbmd", "unknown")
OpenStore = Callable[[VectorIndex | None], Store]


class TestFaissOnPostgres(VectorIndexRules):
    @pytest.fixture
    def open_index(self, tmp_path: Path) -> OpenIndex:
        return lambda: FaissIndex(tmp_path / "index")

    @pytest.fixture
    def store_address(self, database: str) -> str:
        return database


class ForgetfulIndex(FaissIndex):
    """Not exact: every second row is missed."""

    exact = False

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        hits = super().search(vector, reads, level=level, limit=limit)
        return VectorHits(*(getattr(hits, name)[::2] for name in VectorHits.__slots__))


def test_an_index_that_is_not_exact_finds_visible_rows_alone(tmp_path: Path) -> None:
    store = SmallStore(str(tmp_path / "s.db"), ForgetfulIndex(tmp_path / "index"))
    store.ingest(texts(9), {"d1.md": RED, "d2.md": BLUE})
    store.ingest(texts(7), {"d1.md": RED, "d2.md": BLUE})
    VectorIndexRules().same_as_packed(store)
    with store.store.open_session(reader()) as session:
        assert not session.search.exact
    with pytest.raises(AssertionError):
        VectorIndexRules().same_as_packed(
            SmallStore(store.address, exact(ForgetfulIndex(tmp_path / "index")))
        )


def exact(index: ForgetfulIndex) -> ForgetfulIndex:
    index.exact = True
    return index


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """The same store each time, with this index or the packed one."""

    def external(index: VectorIndex | None) -> ExternalIndex | None:
        return None if index is None else ExternalIndex("faiss", index, time.time)

    if request.param == "sqlite":
        path = tmp_path / "store.db"
        yield lambda index: SqliteStore(path, now=lambda: "now", external=external(index))
        return
    with closing(Pool(request.getfixturevalue("database"))) as pool:
        yield lambda index: PostgresStore(pool, now=lambda: "now", external=external(index))


def stock(store: Store) -> MachineStore:
    return MachineStore(lambda: OpenedStore(store, lambda: None))


@pytest.mark.requirement(42)
def test_every_reader_gets_the_same_bytes_of_faiss_and_packed(
    open_store: OpenStore, tmp_path: Path
) -> None:
    external = stock(open_store(FaissIndex(tmp_path / "index")))
    guarded_world.fill(external)
    packed = stock(open_store(None))
    for change in ("nothing", "rule", "prune"):
        if change == "rule":
            external.set_access(guarded_world.MAIN, "c.md", guarded_world.REDS)
        elif change == "prune":
            external.prune(guarded_world.DEV, 1)
        for person in guarded_world.READERS.values():
            assert everything(packed.engine, person, ASKED) == everything(
                external.engine, person, ASKED
            )
    assert external.engine.content.store.verify().problems == ()


def test_no_vectors_are_read_from_segments(
    open_store: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(FaissIndex(tmp_path / "index"))
    guarded_world.fill(stock(store))
    monkeypatch.setattr(Segment, "from_bytes", classmethod(lambda *_: pytest.fail("vectors")))
    asked = question_vector("valve")
    person = guarded_world.READERS["rosa"]
    for index in (FaissIndex(tmp_path / "index"), None):
        with open_store(index).open_session(person) as session:
            if index is None:
                with pytest.raises(pytest.fail.Exception):
                    session.search.nearest(asked, over="documents", roll_up=True, top=3)
            else:
                assert session.search.nearest(asked, over="documents", roll_up=True, top=3)


class UnreachableIndex(FaissIndex):
    """Its server is down for these methods."""

    def __init__(self, folder: Path, *methods: str) -> None:
        super().__init__(folder)
        self.methods = set(methods)

    def _fail(self, method: str) -> None:
        if method in self.methods:
            raise StoreError(f"{method}: the index does not answer")

    def add(self, rows: VectorRows) -> None:
        self._fail("add")
        super().add(rows)

    def retire(self, tenant: str, versions: Sequence[int], snapshot: int) -> None:
        self._fail("retire")
        super().retire(tenant, versions, snapshot)

    def widen(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        self._fail("widen")
        super().widen(tenant, versions, access_class)

    def narrow(self, tenant: str, versions: Sequence[int], access_class: int) -> None:
        self._fail("narrow")
        super().narrow(tenant, versions, access_class)

    def remove(self, tenant: str, versions: Sequence[int]) -> None:
        self._fail("remove")
        super().remove(tenant, versions)


@pytest.fixture
def index(tmp_path: Path) -> UnreachableIndex:
    return UnreachableIndex(tmp_path / "index")


@pytest.fixture
def store(tmp_path: Path, index: UnreachableIndex) -> SmallStore:
    store = SmallStore(str(tmp_path / "s.db"), index)
    store.ingest(texts(6), {"d1.md": RED})
    return store


def same_as_packed(store: SmallStore) -> None:
    VectorIndexRules().same_as_packed(store)


def test_an_ingest_that_the_index_does_not_take_fails_and_nothing_of_it_is_visible(
    store: SmallStore, index: UnreachableIndex
) -> None:
    before = store.nearest(READERS["red"])
    index.methods = {"add"}
    with pytest.raises(StoreError, match="does not answer"):
        store.ingest(texts(9, version=2), {"d1.md": RED})
    assert store.nearest(READERS["red"]) == before
    same_as_packed(store)
    index.methods = set()
    store.ingest(texts(9, version=2), {"d1.md": RED})
    same_as_packed(store)


def test_rights_that_the_index_does_not_take_are_not_changed(
    store: SmallStore, index: UnreachableIndex
) -> None:
    before = store.nearest(READERS["nobody's"])
    index.methods = {"widen"}
    with pytest.raises(StoreError, match="does not answer"):
        store.set_rule("d1.md", BLUE)
    assert store.nearest(READERS["nobody's"]) == before
    same_as_packed(store)


def test_revoked_rights_count_while_the_index_still_has_them(
    store: SmallStore, index: UnreachableIndex
) -> None:
    index.methods = {"narrow", "retire"}
    store.set_rule("d0.md", BLUE)
    store.seconds += 3 * DAY
    store.ingest(texts(4), {"d1.md": RED})
    assert b"r:d0.md" not in repr(store.nearest(READERS["red"])).encode()
    same_as_packed(store)
    assert "have waited for more than a day" in " ".join(later(store).store.verify().problems)
    index.methods = set()
    assert later(store).store.verify().problems == ()
    same_as_packed(store)


def later(store: SmallStore) -> SmallStore:
    """Opened again: the outbox is replayed."""
    return SmallStore(store.address, store.index, store.seconds + 2 * DAY)


def test_a_class_that_changes_twice_ends_with_the_last(
    store: SmallStore, index: UnreachableIndex
) -> None:
    store.set_rule("d0.md", RED)
    store.seconds += 10
    store.set_rule("d0.md", BLUE)
    store.seconds += 3595  # the first is due, the second is not
    store.set_rule("d5.md", BLUE)
    same_as_packed(store)
    store.seconds += DAY
    store.set_rule("d0.md", RED)
    same_as_packed(store)


def test_a_prune_says_what_the_index_still_holds(
    store: SmallStore, index: UnreachableIndex
) -> None:
    store.ingest(texts(3), {"d1.md": RED})
    index.methods = {"remove"}
    assert store.prune().pending == 3
    index.methods = set()
    same_as_packed(later(store))
    assert store.prune().pending == 0


def test_removed_vectors_are_nowhere_in_the_files(tmp_path: Path) -> None:
    index = FaissIndex(tmp_path / "index")
    index.add(made_rows([1, 2, 3], dots=[11111, 12345, 13131]))
    index.remove("local", [2])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    kept, gone = (made_rows([1], dots=[dot]).vectors for dot in (13131, 12345))
    for vector, many in ((kept, 1), (gone, 0)):
        spelt = (vector.astype("<f4").tobytes(), vector.tobytes())
        held = [file for file in files if any(one in file.read_bytes() for one in spelt)]
        assert len(held) == many


def test_a_lost_index_is_refused_and_can_be_rebuilt(store: SmallStore, tmp_path: Path) -> None:
    lost = SmallStore(store.address, FaissIndex(tmp_path / "elsewhere"))
    with pytest.raises(StoreError, match="docgraph reindex"):
        lost.nearest(READERS["red"])
    assert "has 0 of" in lost.store.verify().problems[0]
    lost.store.reindex()
    same_as_packed(lost)


def test_damaged_files_are_refused_and_can_be_rebuilt(store: SmallStore, tmp_path: Path) -> None:
    assert store.store.reindex().rows
    for file in (tmp_path / "index").rglob("*.faiss"):
        file.write_bytes(b"damaged")
    damaged = SmallStore(store.address, FaissIndex(tmp_path / "index"))
    with pytest.raises(StoreError, match="docgraph reindex"):
        damaged.nearest(READERS["red"])
    damaged.store.reindex()
    same_as_packed(damaged)


def test_half_a_record_at_the_end_of_the_log_does_not_count(tmp_path: Path) -> None:
    index = FaissIndex(tmp_path / "index")
    index.rebuild("local", [made_rows([1])])
    (log,) = (tmp_path / "index").rglob("*.log")
    index.add(made_rows([2]))
    log.write_bytes(log.read_bytes()[:-5])
    again = FaissIndex(tmp_path / "index")
    assert again.check("local", {1: 1}) == ()
    assert len(again.check("local", {1: 2})) == 1
    again.add(made_rows([3]))
    hits = FaissIndex(tmp_path / "index").search(
        (1, 0, 0, 0), reading(), level="documents", limit=9
    )
    assert sorted(hits.row.tolist()) == [1, 3]


def test_a_long_log_becomes_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docgraph_faiss.LOG_BYTES", 20_000)
    index, other = FaissIndex(tmp_path / "index"), FaissIndex(tmp_path / "index")
    for number in range(1, 61):
        index.add(made_rows([number]))
        assert len(other.search((1, 0, 0, 0), reading(), level="documents", limit=99).row) == number
    (current,) = (tmp_path / "index").rglob("current")
    assert int(current.read_text()) > 1
    assert {one.name.split("-")[0].split(".")[0] for one in current.parent.glob("[0-9]*")} == {
        current.read_text()
    }


def test_settings_name_the_index_and_where_it_lies(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    here = {"folder": str(tmp_path / "there")}
    stores = open_stores(Settings(path, index="faiss", index_settings=here))
    SmallStore(path).ingest(texts(3))
    assert stores.store.reindex().rows == 15
    assert list((tmp_path / "there").iterdir())
    beside = open_stores(Settings(path, index="faiss"))
    beside.store.reindex()
    assert list(Path(f"{path}.faiss").iterdir())
    with beside.store.open_session(reader(), (SnapshotSelector("r"),)) as session:
        asked = question_vector("valve")
        assert len(session.search.nearest(asked, over="documents", roll_up=True, top=9)) == 3


def test_settings_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    with pytest.raises(BadInput, match="has no setting 'colour'; it takes: folder"):
        _ = open_stores(Settings(path, index="faiss", index_settings={"colour": 1})).store
    with pytest.raises(BadInput, match="the index 'packed' takes none"):
        open_stores(Settings(path, index_settings={"folder": "x"}))
    with pytest.raises(BadInput, match="needs no rebuilding"):
        open_stores(Settings(path)).store.reindex()
    with pytest.raises(BadInput, match="faiss needs a folder"):
        FAISS.open(IndexSettings())


def test_a_second_first_ingest_keeps_the_rows_of_one_under_way(
    database: str, tmp_path: Path
) -> None:
    """On Postgres branches are ingested side by side, also when nothing is published yet."""
    index = FaissIndex(tmp_path / "index")
    embedder = HashedWords.identity
    with closing(Pool(database)) as pool:
        store = PostgresStore(
            pool, now=lambda: "now", external=ExternalIndex("tested", index, time.time)
        )
        with store.open_writer("local", "r", "main", embedder) as writer:
            write(writer, [document("a.md", "apples are red")])
            with store.open_writer("local", "s", "main", embedder) as other:
                write(other, [document("b.md", "pears are green", repository="s")])
                other.publish()
            writer.publish()
        assert store.verify().problems == ()
    same_as_packed(SmallStore(database, index))


def test_two_ingests_may_be_cut_off_and_begun_again(store: SmallStore) -> None:
    """What was numbered in a batch that was undone is numbered again."""
    index = store.index
    assert isinstance(index, UnreachableIndex)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), interrupted(store) as writer:
            write(writer, [document("new.md", "apples", "pears", "plums", sections=True)])
    store.ingest({**texts(6), "z.md": "# Z\n\nvalve\n"}, {"d1.md": RED})
    same_as_packed(store)


@contextmanager
def interrupted(store: SmallStore) -> Iterator[SnapshotWriter]:
    """An error in the transaction of the batch, after the index has its rows."""
    with (
        mock.patch.object(SegmentWriter, "add", side_effect=ZeroDivisionError),
        store.store.open_writer("local", "r", "main", HashedWords.identity) as writer,
    ):
        yield writer
