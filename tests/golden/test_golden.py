"""Golden values: what docgraph gave before the redesign, it gives after every step of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.golden.areas import ENGINE, WORLDS, Built, build
from tests.golden.engine_values import worlds
from tests.golden.history import corpus_digests
from tests.golden.installation import on_postgres, on_sqlite
from tests.golden.values import differences, expected
from tests.interference import homes, postgres_homes
from tests.interference.stores import Stock
from tests.support.postgres_server import PostgresServer


def assert_golden(area: str, actual: Any, stored: Any = None) -> None:
    found = differences(area, actual, stored)
    assert not found, f"{area} is not as it was:\n{found}"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Built]:
    if request.param == "sqlite":
        yield build(on_sqlite(tmp_path_factory.mktemp("golden")))
        return
    with on_postgres(request.getfixturevalue("postgres")) as (exact, _):
        yield build(exact)


def test_the_corpus_is_frozen() -> None:
    assert_golden("corpus", corpus_digests())


@pytest.mark.parametrize("area", ENGINE)
def test_the_engine_gives_the_stored_values(built: Built, area: str) -> None:
    assert_golden(area, ENGINE[area](built))


@pytest.mark.parametrize("seed", WORLDS)
def test_a_random_world_gives_the_stored_values(postgres: PostgresServer, seed: int) -> None:
    with postgres_homes.on_postgres(postgres) as on_database:
        for home in (homes.on_sqlite, on_database):
            stock = Stock(home)
            try:
                assert_golden("worlds", {str(seed): worlds(stock, seed)}, stored(seed))
            finally:
                stock.close()


def stored(seed: int) -> Any:
    return {str(seed): expected("worlds")[str(seed)]}
