"""Planted faults: each can be planted, its tests exist, and only a failed test catches it."""

import subprocess
import sys
from pathlib import Path

import pytest

from checks.mutate import (
    BROKEN,
    CAUGHT,
    SURVIVED,
    Fault,
    find_problems,
    planted,
    read_faults,
    read_outcome,
)

ROOT = Path(__file__).parent.parent.parent.parent
FAULT = Fault("a.py", "one", "two", ("tests/test_a.py::test_a",), "a reason")


def test_every_fault_can_be_planted() -> None:
    faults = read_faults()
    assert list(find_problems(faults)) == []
    assert len(faults) >= 100


def test_every_named_test_exists() -> None:
    tests = sorted({test for fault in read_faults() for test in fault.tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *tests], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("zero", FAULT),
        ("one and one", FAULT),
        ("one", Fault("a.py", "one", "one", FAULT.tests, "a reason")),
        ("one", Fault("a.py", "one", "two", (), "a reason")),
        ("one", Fault("b.py", "one", "two", FAULT.tests, "a reason")),
    ],
)
def test_a_fault_that_cannot_be_planted_is_reported(
    tmp_path: Path, text: str, fault: Fault
) -> None:
    (tmp_path / "a.py").write_text(text)
    assert len(list(find_problems([fault], tmp_path))) == 1


def test_a_fault_is_there_only_while_its_tests_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one")
    with planted(FAULT, tmp_path):
        assert (tmp_path / "a.py").read_text() == "two"
    assert (tmp_path / "a.py").read_text() == "one"


@pytest.mark.parametrize(
    ("status", "printed", "verdict"),
    [
        (0, "1 passed", SURVIVED),
        (1, "FAILED tests/a.py::test_a - assert\n1 failed", CAUGHT),
        (1, "ERROR tests/a.py::test_a\n1 error", BROKEN),
        (2, "FAILED tests/a.py::test_a\nInterrupted", BROKEN),
        (4, "no tests ran", BROKEN),
    ],
)
def test_only_a_failed_test_catches_a_fault(status: int, printed: str, verdict: str) -> None:
    assert read_outcome(status, printed).verdict == verdict
