"""A pytest plugin: with `--thorough`, what is shown by repetition is repeated more often.

Nothing else runs then. `make check` does so; `make test` runs everything, and repeats often enough
to find every defect that tests plant.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    description = "only what is repeated, with more runs and kills"
    parser.addoption("--thorough", action="store_true", help=description)
    description = "in tests/growth, more strings, longer files and pairs of pieces; takes long"
    parser.addoption("--longer-growth", action="store_true", help=description)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--thorough"):
        return
    repeated = [item for item in items if "thorough" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=[item for item in items if item not in repeated])
    items[:] = repeated


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--thorough"))


@pytest.fixture(scope="session")
def longer_growth(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--longer-growth"))
