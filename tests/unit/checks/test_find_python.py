"""The set-up finds a Python that runs, is new enough and can make virtual environments."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent.parent / "checks" / "find_python.sh"

BROKEN_SHIM = "exit 127"
OLD = "exit 1"
BARE = 'case "$2" in *ensurepip*) exit 1;; esac'
GOOD = "exit 0"


class Machine:
    """A machine whose only programs are the Pythons put on its path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, behaviour: str) -> None:
        program = self.path / name
        program.write_text(f"#!/bin/sh\n{behaviour}\n", encoding="utf-8")
        program.chmod(0o755)

    def find(self, *named: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(SCRIPT), *named],
            env={"PATH": str(self.path)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_python3_is_used_if_it_is_suitable(machine: Machine) -> None:
    machine.put("python3", GOOD)
    machine.put("python3.13", GOOD)
    assert machine.find().stdout == "python3\n"


@pytest.mark.parametrize("unfit", [BROKEN_SHIM, OLD, BARE])
def test_an_unsuitable_python_is_skipped(unfit: str, machine: Machine) -> None:
    machine.put("python3", unfit)
    machine.put("python3.12", GOOD)
    assert machine.find().stdout == "python3.12\n"


def test_the_python_that_was_named_is_the_only_one_tried(machine: Machine) -> None:
    machine.put("python3", GOOD)
    machine.put("mine", OLD)
    found = machine.find("mine")
    assert found.returncode == 1
    assert "no Python 3.11 or newer was found under 'mine'" in found.stderr


def test_without_a_python_the_error_says_what_to_do(machine: Machine) -> None:
    found = machine.find()
    assert (found.returncode, found.stdout) == (1, "")
    assert "no Python 3.11 or newer was found.\nInstall one" in found.stderr


def test_without_ensurepip_the_error_says_what_to_install(machine: Machine) -> None:
    machine.put("python3.11", BARE)
    found = machine.find()
    assert found.returncode == 1
    assert "python3.11 cannot make virtual environments" in found.stderr
    assert "apt install python3-venv" in found.stderr
