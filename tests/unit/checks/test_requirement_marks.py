"""A pytest plugin writes which tests cover which requirements."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent.parent
TESTS = """
import pytest

@pytest.mark.requirement(1)
@pytest.mark.requirement(2)
def test_kept(): pass

@pytest.mark.requirement(3)
def test_broken(): raise AssertionError

@pytest.mark.requirement(4)
def test_skipped(): pytest.skip("not today")

@pytest.fixture
def leaking():
    yield
    raise AssertionError

@pytest.mark.requirement(5)
def test_leaking(leaking): pass

@pytest.mark.requirement()
def test_without_a_number(): pass

def test_unmarked(): pass
"""


@pytest.fixture(autouse=True)
def the_plugin_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this plugin and the one for workers: other installed plugins load slowly."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_only_tests_that_pass_with_set_up_and_tear_down_are_written(
    workers: str, pytester: pytest.Pytester, tmp_path: Path
) -> None:
    pytester.makepyfile(test_stories=TESTS)
    file = tmp_path / "made" / "results.json"
    options = ("-p", "checks.requirement_marks", "-n", workers, "--requirements", str(file))
    pytester.runpytest_subprocess(*options)

    rows = json.loads(file.read_text(encoding="utf-8"))
    assert [(r["test"].partition("::")[2], sorted(r["requirements"], key=repr)) for r in rows] == [
        ("test_broken", [3]),
        ("test_kept", [1, 2]),
        ("test_leaking", [5]),
        ("test_skipped", [4]),
        ("test_without_a_number", [None]),
    ]
    assert [r["passed"] for r in rows] == [False, True, False, False, True]


def test_nothing_is_written_without_the_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_stories=TESTS)
    pytester.runpytest_subprocess("-p", "checks.requirement_marks")
    assert not list(pytester.path.glob("*.json"))
