"""What every test shares: requirement marks, reproducible examples, a clean environment."""

import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

pytest_plugins = (
    "checks.requirement_marks",
    "pytester",
    "tests.support.postgres_fixtures",
    "tests.support.thorough",
)

# The same examples on every run, more of them in CI; `--hypothesis-profile explore` looks further.
settings.register_profile("local", max_examples=50, deadline=None, derandomize=True, database=None)
settings.register_profile("ci", settings.get_profile("local"), max_examples=200)
settings.register_profile("explore", max_examples=2_000, deadline=None)
settings.register_profile("prove", max_examples=10_000, deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Ignored in what a shell starts in the background, and in all children of that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TEST_NAME = "PYTEST_CURRENT_TEST"
os.environ["DOCGRAPH_VECTOR_CACHE"] = "off"  # that of the developer, also for stores of a session


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected lasts to the end: the collector of cycles need not visit it every time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    return (yield from _without_test_name())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    return (yield from _without_test_name())


def _without_test_name() -> Generator[None, object, object]:
    """In one environment the parser that an ingest has left serves the next test too."""
    name = os.environ.pop(TEST_NAME, None)
    try:
        return (yield)
    finally:
        if name is not None:
            os.environ[TEST_NAME] = name


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own docgraph settings decide no test."""
    kept = "DOCGRAPH_VECTOR_CACHE"
    for name in [one for one in os.environ if one.startswith("DOCGRAPH_") and one != kept]:
        monkeypatch.delenv(name)
