"""What every external vector index must do: an author's whole test is a subclass, one fixture.

    class TestMine(VectorIndexRules):
        @pytest.fixture
        def open_index(self, tmp_path: Path) -> OpenIndex:
            return lambda: MyIndex(tmp_path / "index")

`open_index` opens the same index again and again; what was added before is still there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docgraph.model.access import LOCAL, Principal
from docgraph.model.errors import StoreError
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.ports.indexes import (
    FOREVER,
    ReadFilter,
    Rows,
    VectorHits,
    VectorIndex,
    VectorRows,
)
from docgraph.ports.search_reads import Level
from docgraph.testing.small_store import (
    BLUE,
    LEVELS,
    OPEN,
    OTHER_TENANT,
    RED,
    TOPS,
    Hits,
    SmallStore,
    question_vector,
    reader,
)

OpenIndex = Callable[[], VectorIndex]
READERS: Mapping[str, Principal] = {
    "nobody's": reader(),
    "red": reader("red"),
    "blue": reader("blue"),
    "both": reader("red", "blue"),
    "abroad": reader("red", tenant=OTHER_TENANT),
}
AXIS = (1000, 0, 0, 0)
DAY = 86_400.0


def texts(count: int, version: int = 1) -> dict[str, str]:
    """Documents with sections; every third is the same text, so that rows tie."""
    return {
        f"d{number}.md": f"# Valve {number % 3}\n\nThe valve of part {number % 3}.\n\n"
        f"## Part {number % 3}\n\nRed {'pump' if number % 3 else f'valve, version {version}'}.\n"
        for number in range(count)
    }


def made_rows(
    numbers: Sequence[int],
    *,
    tenant: str = LOCAL,
    level: Level = "documents",
    branch: int = 1,
    born: int = 1,
    access_class: int = 1,
    dots: Sequence[int] | None = None,
) -> VectorRows:
    """Rows whose products with `AXIS` are thousands of `dots`; each is its own version."""
    own = np.array(numbers, dtype=np.int64)
    vectors = np.zeros((len(own), len(AXIS)), dtype=np.int16)
    vectors[:, 0] = own if dots is None else dots
    return VectorRows(
        tenant=tenant,
        level=level,
        row=own,
        node=own,
        document=own,
        version=own,
        branch=np.full(len(own), branch),
        born=np.full(len(own), born),
        died=np.full(len(own), FOREVER),
        access_class=np.full(len(own), access_class),
        vectors=vectors,
    )


def reading(
    *classes: int, tenant: str = LOCAL, snapshots: tuple[tuple[int, int], ...] = ((1, 1),)
) -> ReadFilter:
    return ReadFilter(tenant, frozenset(classes or (1,)), snapshots, 1)


def found(
    index: VectorIndex,
    reads: ReadFilter | None = None,
    limit: int = 100,
    level: Level = "documents",
) -> list[int]:
    """Row numbers; an index may hold too much, but these rules give it no reason to."""
    hits = index.search(AXIS, reads or reading(), level=level, limit=limit)
    assert len(hits.row) == len(hits.node) == len(hits.document) == len(hits.dot)
    return sorted(hits.row.tolist())


class VectorIndexRules:
    """`store_address` may be overridden, with the address of an empty Postgres database."""

    @pytest.fixture
    def open_index(self) -> OpenIndex:
        pytest.fail("a subclass provides the fixture open_index")

    @pytest.fixture
    def index(self, open_index: OpenIndex) -> VectorIndex:
        return open_index()

    @pytest.fixture
    def store_address(self, tmp_path: Path) -> str:
        return str(tmp_path / "store.db")

    @pytest.fixture
    def store(self, store_address: str, index: VectorIndex) -> SmallStore:
        """Two branches, three repositories, two tenants, several rules and snapshots."""
        store = SmallStore(store_address, index)
        rules = {"d1.md": RED, "d2.md": BLUE, "d4.md": RED}
        store.ingest(texts(9), rules)
        store.ingest(texts(7, version=2), rules)
        store.ingest(texts(4), {"d0.md": BLUE}, branch="work")
        store.ingest({"other.md": "# Pump\n\nA red valve.\n"}, repository="s")
        store.ingest(texts(5), tenant=OTHER_TENANT)
        return store

    # Same results as the packed index, whatever the index holds too much.

    def same_as_packed(
        self,
        store: SmallStore,
        selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
        readers: Mapping[str, Principal] = READERS,
    ) -> None:
        """Of an index that is not exact: what it finds is visible, and scored as it should be."""
        assert store.index is not None
        packed = SmallStore(store.address)
        for principal in readers.values():
            one, other = (stock.nearest(principal, selectors) for stock in (packed, store))
            assert one == other if store.index.exact else _is_part(other, one)

    def test_an_exact_index_gives_what_the_packed_one_gives(self, store: SmallStore) -> None:
        self.same_as_packed(store)

    def test_old_snapshots_and_other_branches_are_searched_as_they_were(
        self, store: SmallStore
    ) -> None:
        """Every reader of this tenant sees something in each of them."""
        at_home = {name: one for name, one in READERS.items() if one.tenant == LOCAL}
        for selector in (
            SnapshotSelector("r", "main", 1),
            SnapshotSelector("r", "work"),
            SnapshotSelector("s"),
        ):
            self.same_as_packed(store, (selector,), at_home)

    def test_a_rule_counts_at_once_and_later_the_index_follows(self, store: SmallStore) -> None:
        store.set_rule("d0.md", RED)
        store.set_rule("d1.md", OPEN)
        self.same_as_packed(store)
        store.seconds += DAY
        store.set_rule("d2.md", RED)
        self.same_as_packed(store)
        store.seconds += DAY
        self.same_as_packed(SmallStore(store.address, store.index, store.seconds))
        assert store.store.verify().problems == ()

    def test_a_held_session_keeps_what_it_may_see(self, store: SmallStore) -> None:
        asked = question_vector("red valve")
        with store.store.open_session(READERS["red"]) as session:
            before = session.search.nearest(asked, over="documents", roll_up=True, top=1000)
            store.set_rule("d1.md", BLUE)
            after = session.search.nearest(asked, over="documents", roll_up=True, top=1000)
        assert after == before
        self.same_as_packed(store)

    def test_what_is_pruned_is_gone_from_the_index(self, store: SmallStore) -> None:
        assert store.prune().pending == 0
        self.same_as_packed(store)
        assert store.store.verify().problems == ()

    def test_rows_too_many_change_no_result(self, store_address: str, index: VectorIndex) -> None:
        """Rows that ended, of other readers and tenants, of no document, with wrong scores."""
        store = SmallStore(store_address, TooMuch(index))
        store.ingest(texts(9), {"d1.md": RED, "d2.md": BLUE})
        store.ingest(texts(5, version=2), {"d1.md": RED, "d2.md": BLUE})
        store.ingest(texts(5), tenant=OTHER_TENANT)
        self.same_as_packed(store)

    def test_a_rebuilt_index_gives_the_same(self, store: SmallStore) -> None:
        assert store.store.reindex().rows > 0
        self.same_as_packed(store)
        assert store.store.verify().problems == ()

    def test_a_store_that_was_changed_without_the_index_is_refused_until_it_is_rebuilt(
        self, store: SmallStore
    ) -> None:
        SmallStore(store.address).ingest({"new.md": "# New\n\nA red valve.\n"}, repository="t")
        with pytest.raises(StoreError, match="docgraph reindex"):
            store.nearest(READERS["red"])
        assert any("docgraph reindex" in problem for problem in store.store.verify().problems)
        store.store.reindex()
        self.same_as_packed(store)

    # The index by itself.

    def test_added_rows_are_found_with_their_exact_products(self, index: VectorIndex) -> None:
        index.add(made_rows([1, 2, 3]))
        hits = index.search(AXIS, reading(), level="documents", limit=10)
        assert dict(zip(hits.row.tolist(), hits.dot.tolist(), strict=True)) == {
            1: 1000,
            2: 2000,
            3: 3000,
        }

    def test_an_exact_index_gives_all_that_tie_with_the_last(self, index: VectorIndex) -> None:
        index.add(made_rows(range(1, 41), dots=[7 if n % 2 else 9 for n in range(40)]))
        index.add(made_rows(range(41, 61), dots=[7] * 20))
        if index.exact:
            assert len(found(index, limit=3)) == 20
            assert len(found(index, limit=20)) == 20
            assert len(found(index, limit=21)) == 60
        assert len(found(index, limit=60)) == 60

    def test_added_twice_is_there_once(self, index: VectorIndex) -> None:
        for _ in range(2):
            index.add(made_rows([1, 2]))
        assert found(index) == [1, 2]
        index.add(made_rows([2], dots=[5]))
        hits = index.search(AXIS, reading(), level="documents", limit=1)
        assert (hits.row.tolist(), hits.dot.tolist()) == ([2], [5000])

    def test_the_filter_decides_on_tenant_class_branch_and_snapshot(
        self, index: VectorIndex
    ) -> None:
        index.add(made_rows([1], access_class=1))
        index.add(made_rows([2], access_class=2))
        index.add(made_rows([3], branch=2, born=4))
        index.add(made_rows([4], tenant=OTHER_TENANT))
        assert found(index) == [1]
        assert found(index, reading(1, 2)) == [1, 2]
        assert found(index, reading(snapshots=((1, 1), (2, 4)))) == [1, 3]
        assert found(index, reading(snapshots=((1, 1), (2, 3)))) == [1]
        assert found(index, reading(tenant=OTHER_TENANT)) == [4]
        assert found(index, reading(9)) == []

    def test_levels_and_widths_are_apart(self, index: VectorIndex) -> None:
        index.add(made_rows([1]))
        index.add(made_rows([2], level="sections"))
        wide = made_rows([3])
        index.add(replace(wide, vectors=np.ones((1, 8), dtype=np.int16)))
        assert [found(index, level=level) for level in LEVELS] == [[1], [2], []]

    def test_a_retired_version_lives_in_old_snapshots_alone_until_it_is_revived(
        self, index: VectorIndex
    ) -> None:
        index.add(made_rows([1, 2]))
        for _ in range(2):
            index.retire(LOCAL, [1, 99], 2)
        assert found(index) == [1, 2]
        assert found(index, reading(snapshots=((1, 2),))) == [2]
        index.retire(LOCAL, [1], FOREVER)
        assert found(index, reading(snapshots=((1, 2),))) == [1, 2]

    def test_widened_rows_are_found_by_both_classes_and_by_one_after_narrowing(
        self, index: VectorIndex
    ) -> None:
        index.add(made_rows([1, 2]))
        for _ in range(2):
            index.widen(LOCAL, [1, 99], 2)
        assert (found(index, reading(1)), found(index, reading(2))) == ([1, 2], [1])
        for _ in range(2):
            index.narrow(LOCAL, [1, 99], 2)
        assert (found(index, reading(1)), found(index, reading(2))) == ([2], [1])

    def test_removed_versions_are_gone(self, index: VectorIndex) -> None:
        index.add(made_rows([1, 2, 3]))
        for _ in range(2):
            index.remove(LOCAL, [1, 3, 99])
        assert found(index) == [2]

    def test_rows_of_an_unfinished_ingest_are_discarded(self, index: VectorIndex) -> None:
        index.add(made_rows([1], born=1))
        index.add(made_rows([2], born=2))
        index.add(made_rows([3], branch=2, born=2))
        index.discard(LOCAL, 1, 1)
        assert found(index, reading(snapshots=((1, 9), (2, 9)))) == [1, 3]

    def test_a_rebuilt_tenant_has_the_given_rows_alone(self, index: VectorIndex) -> None:
        index.add(made_rows([1, 2]))
        index.add(made_rows([7], tenant=OTHER_TENANT))
        index.rebuild(LOCAL, iter([made_rows([2, 3]), made_rows([4], level="sections")]))
        assert found(index) == [2, 3]
        assert found(index, level="sections") == [4]
        assert found(index, reading(tenant=OTHER_TENANT)) == [7]

    def test_a_check_reports_rows_that_are_missing(self, index: VectorIndex) -> None:
        index.add(made_rows([1, 2]))
        index.add(made_rows([3], level="sections", branch=2))
        assert index.check(LOCAL, {1: 2, 2: 1}) == ()
        assert len(index.check(LOCAL, {1: 3, 2: 1})) == 1
        assert len(index.check(LOCAL, {1: 3, 2: 1, 5: 1})) == 2
        assert index.check(LOCAL, {1: 1}) == ()

    def test_everything_is_still_there_after_a_restart(
        self, index: VectorIndex, open_index: OpenIndex
    ) -> None:
        index.add(made_rows([1, 2, 3, 4]))
        index.retire(LOCAL, [1], 2)
        index.widen(LOCAL, [2], 2)
        index.narrow(LOCAL, [3], 2)
        index.remove(LOCAL, [4])
        again = open_index()
        snapshots = ((1, 2),)
        for one in (index, again):
            assert found(one, reading(1, snapshots=snapshots)) == [2]
            assert found(one, reading(2, snapshots=snapshots)) == [2, 3]
            assert found(one, reading(1, 2)) == [1, 2, 3]

    def test_another_process_finds_what_is_added(
        self, index: VectorIndex, open_index: OpenIndex
    ) -> None:
        other = open_index()
        index.add(made_rows([1]))
        assert found(other) == [1]
        other.add(made_rows([2]))
        assert found(index) == [1, 2]
        index.remove(LOCAL, [1])
        assert found(other) == [2]


class TooMuch:
    """An index that returns rows that it should not, before and between those that it should."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self.exact = index.exact
        self.add, self.retire, self.remove = index.add, index.retire, index.remove
        self.widen, self.narrow = index.widen, index.narrow
        self.discard, self.check = index.discard, index.check

    def rebuild(self, tenant: str, rows: Iterable[VectorRows]) -> None:
        self._index.rebuild(tenant, rows)

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        """The best of all that any filter shows, and rows of no document."""
        snapshots = tuple((branch, number) for branch in (1, 2) for number in (1, 2))
        filters = [reads] + [
            replace(reads, tenant=tenant, classes=frozenset(range(50)), snapshots=(one,))
            for tenant in (LOCAL, OTHER_TENANT)
            for one in snapshots
        ]
        hits = [self._index.search(vector, one, level=level, limit=limit) for one in filters]
        invented = np.array([2**40, 5, 3], dtype=np.int64)
        wrong = VectorHits(invented, invented, invented, np.full(3, 10**6))
        edge = min((one.dot.min() for one in hits if len(one.row) >= limit), default=-(2**40))
        kept = [_above(one, edge) for one in hits]
        columns = (
            np.concatenate([getattr(one, name) for one in (*kept, wrong)])
            for name in VectorHits.__slots__
        )
        return VectorHits(*columns)


def _above(hits: VectorHits, edge: int) -> VectorHits:
    kept: Rows = np.flatnonzero(hits.dot >= edge)
    return VectorHits(hits.row[kept], hits.node[kept], hits.document[kept], hits.dot[kept])


def _is_part(some: Sequence[Hits], of: Sequence[Hits]) -> bool:
    """Whether every hit is visible and scores no more than it does; the largest `top` is last."""
    return all(
        dict(of[at - at % len(TOPS) + len(TOPS) - 1]).get(node, -(2**40)) >= score
        for at, hits in enumerate(some)
        for node, score in hits
    )
