"""A pytest plugin: with `--thorough`, what is shown by repetition is repeated more often.

`make check` does so; `make test` repeats often enough to find every defect that tests plant.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="more runs, kills and races")


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--thorough"))
