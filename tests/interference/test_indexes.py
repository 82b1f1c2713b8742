"""Hidden documents change no byte, whichever exact vector index finds what is near."""

import shutil
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from docgraph_faiss import FaissIndex

from docgraph.adapters.indexes.external import CheckedVectorIndex
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.ports.indexes import ReadFilter, VectorHits
from docgraph.ports.search_reads import Level
from tests.interference.machine import Interference, counts
from tests.interference.runs import prove
from tests.interference.store_factories import OpenedStore, on_sqlite
from tests.interference.stores import small_limits

EXAMPLES, THOROUGH = 15, 150


def on_faiss(kind: type[FaissIndex] = FaissIndex) -> OpenedStore:
    folder = Path(tempfile.mkdtemp())
    opened = on_sqlite(ExternalIndex("faiss", kind(folder), time.time))

    def close() -> None:
        assert opened.store.verify().problems == ()
        opened.close()
        shutil.rmtree(folder)

    return OpenedStore(opened.store, close)


@pytest.mark.requirement(36)
def test_hidden_documents_change_no_byte_of_what_faiss_finds(thorough: bool) -> None:
    examples = THOROUGH if thorough else EXAMPLES
    counts.clear()
    with small_limits():
        prove(11, examples, store_factory=on_faiss)
    assert counts["runs"] >= examples
    assert counts["comparisons"] >= 4 * examples


class IndexWithoutRights(FaissIndex):
    """Finds rows of every class, and says nothing of it."""

    def search(
        self, vector: tuple[int, ...], reads: ReadFilter, *, level: Level, limit: int
    ) -> VectorHits:
        everything = replace(reads, classes=frozenset(range(10_000)))
        return super().search(vector, everything, level=level, limit=limit)


@pytest.mark.requirement(36)
def test_an_index_that_forgets_rights_changes_no_byte() -> None:
    """Every hit is checked against the catalogue."""
    with small_limits():
        prove(12, EXAMPLES, store_factory=partial(on_faiss, IndexWithoutRights))


def test_an_index_that_forgets_rights_is_found_where_nobody_checks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A harness that cannot fail proves nothing. What has no visible name cannot be named."""
    monkeypatch.setattr(CheckedVectorIndex, "_checked", lambda _self, found, *_: found)
    with small_limits(), pytest.raises((Interference, KeyError)):
        prove(12, EXAMPLES, store_factory=partial(on_faiss, IndexWithoutRights))
