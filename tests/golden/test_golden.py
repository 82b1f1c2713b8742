"""Golden values: what docgraph gave before the redesign, it gives after every step of it.

A difference that is meant is written down by `python -m tests.golden.record`, and reviewed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgraph.model.errors import BadInput, BadPlan
from docgraph.model.snapshot import ALL_REPOSITORIES
from docgraph.pipeline.receipt import receipt_from_json
from docgraph.pipeline.retrieval import plan_from_json
from docgraph.ports.search_reads import Level
from docgraph.testing.small_store import hash_vector
from tests.golden.areas import ENGINE, INTERFACES, WORLDS, BuiltStore, build
from tests.golden.engine_values import NORTH, RETRY, worlds
from tests.golden.history import READERS, frozen_digests
from tests.golden.installation import Installation, on_postgres, on_sqlite
from tests.golden.values import differences, expected, write
from tests.interference import postgres_factories, store_factories
from tests.interference.probes import LEVELS
from tests.interference.stores import MachineStore
from tests.support.postgres_server import PostgresServer


def assert_golden(area: str, actual: Any, stored: Any = None) -> None:
    shown = differences(area, actual, stored)
    assert not shown, f"{area} is not as it was:\n{shown}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(scope="module")
def on_file(folder: Path) -> BuiltStore:
    return build(on_sqlite(folder))


@pytest.fixture(scope="module")
def on_database(postgres: PostgresServer) -> Iterator[tuple[BuiltStore, Installation]]:
    """The second searches the same rows with HNSW."""
    with on_postgres(postgres) as (exact, hnsw):
        yield build(exact), hnsw


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def built(request: pytest.FixtureRequest) -> BuiltStore:
    if request.param == "sqlite":
        result: BuiltStore = request.getfixturevalue("on_file")
    else:
        result, _ = request.getfixturevalue("on_database")
    return result


def test_the_corpus_is_frozen() -> None:
    assert_golden("corpus", frozen_digests())


@pytest.mark.parametrize("area", ENGINE)
def test_the_engine_gives_the_stored_values(built: BuiltStore, area: str) -> None:
    assert_golden(area, ENGINE[area](built))


@pytest.mark.parametrize("name", INTERFACES)
def test_an_interface_gives_the_stored_values(
    on_file: BuiltStore, folder: Path, tmp_path: Path, name: str
) -> None:
    for area, actual in INTERFACES[name](tmp_path, on_file, folder / "store.db").items():
        assert_golden(area, actual)


@pytest.mark.parametrize("seed", WORLDS)
def test_a_random_world_gives_the_stored_values(postgres: PostgresServer, seed: int) -> None:
    with postgres_factories.on_postgres(postgres) as on_database:
        for home in (store_factories.on_sqlite, on_database):
            stock = MachineStore(home)
            try:
                actual, stored = worlds(stock, seed), expected("worlds")[str(seed)]
            finally:
                stock.close()
            assert_golden("worlds", actual, stored)


@pytest.mark.parametrize("name", READERS)
def test_hnsw_gives_visible_rows_with_the_scores_of_the_stored_integers(
    on_database: tuple[BuiltStore, Installation], name: str
) -> None:
    """Which of them it gives is not promised, so nothing of it is stored."""
    built, hnsw = on_database
    for over in LEVELS:
        every = dict(nearest(built.installation, name, over, top=10_000))
        near = dict(nearest(hnsw, name, over, top=5))
        assert {node: every.get(node) for node in near} == near
        assert bool(near) == bool(every) == (name != "nobody")


def nearest(
    installation: Installation, reader: str, over: Level, *, top: int
) -> tuple[tuple[str, int], ...]:
    vector = tuple(int(value) for value in hash_vector(f"{RETRY} {NORTH}"))
    with installation.engine.content.store.open_session(READERS[reader], ALL_REPOSITORIES) as reads:
        return reads.search.nearest(vector, over=over, roll_up=False, top=top)


def test_a_plan_of_an_older_format_is_refused_by_its_name() -> None:
    with pytest.raises(BadPlan) as error:
        plan_from_json(expected("before/plan.txt"))
    assert str(error.value) == (
        "this saved plan has the format 'docgraph.plan/1'; this docgraph reads 'docgraph.plan/2': "
        "make the plan again"
    )


def test_a_receipt_of_an_older_format_is_refused_by_its_name() -> None:
    with pytest.raises(BadInput) as error:
        receipt_from_json(expected("before/receipt.txt"))
    assert str(error.value) == (
        "this receipt has the format 'docgraph.receipt/1'; this docgraph reads "
        "'docgraph.receipt/2': ask the question again for a new receipt"
    )


def test_a_difference_names_its_key_and_both_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.golden.values.FOLDER", tmp_path)
    write("area", {"same": 1, "list": [1, {"deep": "old"}], "gone": 0})
    shown = differences("area", {"same": 1, "list": [1, {"deep": "new"}], "more": 0})
    assert shown.splitlines() == [
        "area / gone: only stored",
        "area / list / 1 / deep:",
        '  stored "old"',
        '  now    "new"',
        "area / more: only now",
    ]
