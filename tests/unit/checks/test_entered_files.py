"""A command enters the files whose functions it runs, not those that it only imports."""

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from checks.entered_files import profile_command, select_entered_files

MAIN = """
import sys, threading
import tiny.imported, tiny.thread
from tiny.model.values import Point, Origin
from tiny.model.rules import is_far

def main():
    assert sys.argv == ["tiny", "--flag"]
    threading.Thread(target=tiny.thread.run).start()
    point = Point(1)
    Origin.double.fget(point)
    sys.exit(0 if is_far(point) else 1)
"""
IMPORTED = """
def decorate(function):
    return function

@decorate
def unused():
    return 1

class Body:
    value = [n for n in range(3)]
"""
VALUES = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Point:
    x: int
    def __post_init__(self):
        assert all(n == self.x for n in [self.x])

class Origin:
    @property
    def double(self):
        return 2 * self.x
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "tiny"
    (package / "model").mkdir(parents=True)
    texts = {
        "__init__.py": "",
        "main.py": MAIN,
        "imported.py": IMPORTED,
        "thread.py": "def run(): return any(True for _ in range(1))",
        "model/__init__.py": "",
        "model/values.py": VALUES,
        "model/rules.py": "def is_far(point): return point.x > 0",
    }
    for name, text in texts.items():
        (package / name).write_text(text)
    return package


def test_files_whose_functions_run_are_entered_in_any_thread(tiny: Path, tmp_path: Path) -> None:
    calls = profile_command(tiny, "tiny.main:main", ("--flag",), tmp_path)
    assert (Path("model/values.py"), "Point.__post_init__") in calls
    assert not [name for path, name in calls if path == Path("imported.py")]
    # Properties and constructors of a value decide nothing.
    assert select_entered_files(tiny, calls) == (
        Path("main.py"),
        Path("model/rules.py"),
        Path("thread.py"),
    )


def test_a_property_counts_outside_of_the_model(tiny: Path, tmp_path: Path) -> None:
    (tiny / "values.py").write_text(VALUES)
    (tiny / "main.py").write_text(MAIN.replace("tiny.model.values", "tiny.values"))
    calls = profile_command(tiny, "tiny.main:main", ("--flag",), tmp_path)
    assert Path("values.py") in select_entered_files(tiny, calls)


def test_a_command_that_fails_is_not_measured(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(CalledProcessError):
        profile_command(tiny, "tiny.main:main", ("--other",), tmp_path)
