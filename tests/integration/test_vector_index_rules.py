"""The rules for vector indexes can fail: each defect that is planted is found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from docgraph_faiss import FaissIndex

from docgraph.ports.indexes import ReadFilter, VectorHits, VectorRows
from docgraph.ports.search_reads import Level
from docgraph.testing.vector_indexes import VectorIndexRules


class OpenTies(FaissIndex):
    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        hits = super().search(vector, reads, level=level, limit=limit)
        return VectorHits(*(getattr(hits, name)[:limit] for name in VectorHits.__slots__))


class AnyClass(FaissIndex):
    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        everyone = replace(reads, classes=frozenset(range(100)))
        return super().search(vector, everyone, level=level, limit=limit)


class OneTenant(FaissIndex):
    def add(self, rows: VectorRows) -> None:
        super().add(replace(rows, tenant="local"))


class Stubborn(FaissIndex):
    """Keeps what it has."""

    def retire(self, tenant: str, versions: Sequence[int], snapshot: int) -> None: ...

    def widen(self, tenant: str, versions: Sequence[int], access_class: int) -> None: ...

    def remove(self, tenant: str, versions: Sequence[int]) -> None: ...

    def discard(self, tenant: str, branch: int, newest: int) -> None: ...

    def check(self, tenant: str, expected: Mapping[int, int]) -> tuple[str, ...]:
        return ()


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (OpenTies, "test_an_exact_index_gives_all_that_tie_with_the_last"),
        (AnyClass, "test_the_filter_decides_on_tenant_class_branch_and_snapshot"),
        (OneTenant, "test_the_filter_decides_on_tenant_class_branch_and_snapshot"),
        (Stubborn, "test_a_retired_version_lives_in_old_snapshots_alone_until_it_is_revived"),
        (Stubborn, "test_widened_rows_are_found_by_both_classes_and_by_one_after_narrowing"),
        (Stubborn, "test_removed_versions_are_gone"),
        (Stubborn, "test_rows_of_an_unfinished_ingest_are_discarded"),
        (Stubborn, "test_a_check_reports_rows_that_are_missing"),
    ],
)
def test_a_defect_of_an_index_is_found(kind: type[FaissIndex], rule: str, tmp_path: Path) -> None:
    getattr(VectorIndexRules(), rule)(FaissIndex(tmp_path / "sound"))
    with pytest.raises(AssertionError):
        getattr(VectorIndexRules(), rule)(kind(tmp_path / "broken"))


def test_an_index_that_forgets_is_found(tmp_path: Path) -> None:
    rules = VectorIndexRules()
    folders = iter("abcdefgh")
    with pytest.raises(AssertionError):
        rules.test_everything_is_still_there_after_a_restart(
            FaissIndex(tmp_path / next(folders)), lambda: FaissIndex(tmp_path / next(folders))
        )
