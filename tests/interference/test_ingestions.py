"""Where ingestions are compared, hidden ones change no byte of what a reader gets."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis.stateful import initialize

from docgraph.adapters.sql.search import SqlSearch
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL
from docgraph.model.digest import canonical
from docgraph.model.seeds import Seed
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotName
from docgraph.plan import select_scope
from tests.interference.machine import Interference, NoInterference, counts
from tests.interference.postgres_factories import on_postgres
from tests.interference.probes import (
    PIPELINES,
    QUESTIONS,
    AskProbe,
    compares_ingestions,
    everything,
    results_of,
)
from tests.interference.runs import prove
from tests.interference.start_states import StartState, start_states
from tests.interference.store_factories import StoreFactory, on_sqlite
from tests.interference.stores import MachineStore, small_limits
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import HIDDEN, VISIBLE
from tests.support.postgres_server import PostgresServer

EXAMPLES, THOROUGH = 60, 600
MAIN = BranchName(LOCAL, "r", "main")
(COMPARING,) = (at for at in range(len(PIPELINES)) if compares_ingestions(AskProbe("", at)))


class ComparedIngestions(NoInterference):
    """The same worlds; every question is asked through the pipeline that compares ingestions."""

    @initialize(start_state=start_states())
    def begin(self, start_state: StartState) -> None:
        question = QUESTIONS[start_state.rules[0] % len(QUESTIONS)]
        super().begin(replace(start_state, probes=(AskProbe(question, COMPARING),)))


def prove_on(store_factory: StoreFactory, examples: int) -> None:
    with small_limits():
        prove(7, examples, steps=6, store_factory=store_factory, machine=ComparedIngestions)


@pytest.mark.requirement(36)
def test_hidden_documents_change_no_byte_where_ingestions_are_compared(thorough: bool) -> None:
    examples = THOROUGH if thorough else EXAMPLES
    counts.clear()
    prove_on(on_sqlite, examples)
    assert counts["AskProbe"] >= 2 * examples


@pytest.mark.requirement(36)
def test_nor_do_they_on_postgres(postgres: PostgresServer) -> None:
    counts.clear()
    with on_postgres(postgres) as store_factory:
        prove_on(store_factory, EXAMPLES // 4)
    assert counts["AskProbe"]


def plant_numbers(plant: pytest.MonkeyPatch) -> None:
    """The plan says in which snapshot the dominant ingestion was published."""
    honest: Callable[..., tuple[tuple[Seed, ...], str]] = vars(select_scope)["_dominant"]

    def leaking(
        seeds: tuple[Seed, ...],
        trait: Callable[[Seed], Any],
        share: float,
        describe: Callable[[Seed], str],
    ) -> tuple[tuple[Seed, ...], str]:
        selected, reason = honest(seeds, trait, share, describe)
        brought = [trait(seed) for seed in selected]
        if reason and isinstance(brought[-1], SnapshotName):
            reason = f"ingestion {brought[-1].ingestion_id} dominates"
        return selected, reason

    plant.setattr(select_scope, "_dominant", leaking)


def plant_ranges(plant: pytest.MonkeyPatch) -> None:
    """Two snapshots in a row count as one ingestion: a hidden one between them divides them."""
    honest = SqlSearch.ingestions

    def leaking(self: SqlSearch, ids: tuple[str, ...]) -> dict[str, SnapshotName]:
        found = honest(self, ids)
        return {node: replace(one, snapshot=one.snapshot // 2) for node, one in found.items()}

    plant.setattr(SqlSearch, "ingestions", leaking)


@pytest.mark.requirement(36)
@pytest.mark.parametrize("leak", [plant_numbers, plant_ranges])
def test_a_number_that_counts_hidden_ingests_is_caught(
    leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    with pytest.raises(Interference):
        prove_on(on_sqlite, EXAMPLES)


@pytest.fixture(params=["sqlite", "postgres"])
def stores(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[StoreFactory]:
    if request.param == "sqlite":
        yield on_sqlite
    else:
        with on_postgres(postgres) as factory:
            yield factory


FIRST = {"a.md": "# Rocket\n\nfuel thrust\n", "h.md": "# Fuel\n\nrocket fuel thrust\n"}
SECOND = {"e.txt": "Rocket Engine\n\nrocket fuel thrust\n"}
UNSEEN = {"d.rst": "Fuel\n====\n\nrocket fuel thrust\n", "adr/0001-x.md": "# Fuel\n\nthrust\n"}


def ingest(store: MachineStore, *parts: dict[str, str]) -> None:
    texts = {path: text for part in parts for path, text in part.items()}
    rules = {path: HIDDEN[0] if path in UNSEEN else VISIBLE[0] for path in texts}
    store.ingest(MAIN, BranchContent(texts), rules)


@pytest.mark.requirement(36)
def test_an_ingest_of_hidden_documents_alone_changes_no_byte(stores: StoreFactory) -> None:
    """Neither afterwards, nor where it lies between two ingests of visible ones."""
    results, dominant = [], []
    for between in ((), (UNSEEN,)):
        store = MachineStore(stores)
        ingest(store, FIRST)
        ingest(store, FIRST, *between)
        ingest(store, FIRST, SECOND, *between)
        results.append(everything(store.engine, local()))
        ingest(store, FIRST, SECOND, {"d.rst": UNSEEN["d.rst"].upper()})
        results.append(everything(store.engine, local()))
        found = AskProbe(QUESTIONS[0], COMPARING)(store.engine, local(), ALL_REPOSITORIES)
        dominant.append(canonical(found))
        store.close()
    assert len(set(results)) == 1
    assert all(b"ingestion of r:" in found for found in dominant)


def test_the_harness_sees_documents_that_came_together(stores: StoreFactory) -> None:
    """The same documents at once, or one after the other: their reader may notice that."""
    results = []
    for steps in (((FIRST, SECOND),), ((FIRST,), (FIRST, SECOND))):
        store = MachineStore(stores)
        for step in steps:
            ingest(store, *step)
        results.append(results_of(AskProbe(QUESTIONS[0], COMPARING), store.engine, local()))
        store.close()
    assert results[0] != results[1]
