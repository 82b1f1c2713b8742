"""`make demo` installs what a user needs, `make test` adds the rest, each once, and both say so."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STAMPS = (".locked", ".installed", ".dev-installed")
USERS = ["requirements.lock", "requirements-build.lock"]


def commands(*words: str, environment: Path) -> list[str]:
    """What make would run with `environment` in the place of .venv."""
    dry_run = ["make", "--dry-run", "--no-print-directory", f"VENV={environment}", *words]
    # Without the options of the make that runs these tests.
    here = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(dry_run, cwd=ROOT, env=here, capture_output=True, text=True, check=True)
    return done.stdout.replace("\\\n", " ").splitlines()


def installs(lines: list[str]) -> list[str]:
    return [line for line in lines if " -m pip " in line]


def locks(lines: list[str]) -> list[str]:
    return re.findall(r"--requirement (\S+)", "\n".join(installs(lines)))


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """An environment in which everything has been installed."""
    for stamp in STAMPS:
        (tmp_path / stamp).touch()
    return tmp_path


def test_the_demo_needs_no_package_that_only_developers_need(tmp_path: Path) -> None:
    lines = commands("demo", environment=tmp_path)
    assert locks(lines) == USERS
    assert lines[-2].endswith("/bin/docgraph demo")


@pytest.mark.parametrize("target", ["test", "check"])
def test_developers_get_the_rest_in_the_same_environment(target: str, tmp_path: Path) -> None:
    assert locks(commands(target, environment=tmp_path))[:3] == [*USERS, "requirements-dev.lock"]


def test_a_test_after_the_demo_adds_only_the_rest(ready: Path) -> None:
    (ready / ".dev-installed").unlink()
    assert locks(commands("test", environment=ready)) == ["requirements-dev.lock"]


@pytest.mark.parametrize("target", ["demo", "test"])
def test_what_is_installed_is_not_installed_again(target: str, ready: Path) -> None:
    assert installs(commands(target, environment=ready)) == []


@pytest.mark.parametrize("lock", [*USERS, "requirements-dev.lock"])
def test_a_changed_lock_makes_a_fresh_environment(lock: str, ready: Path) -> None:
    lines = commands("--what-if", lock, "test", environment=ready)
    assert any(f"-m venv --clear {ready}" in line for line in lines)
    assert locks(lines) == [*USERS, "requirements-dev.lock"]


def test_nothing_is_installed_without_a_hash_but_docgraph_itself(tmp_path: Path) -> None:
    """And the examples, which belong to it."""
    lines = installs(commands("test", environment=tmp_path))
    own = [line for line in lines if "--editable" in line]
    assert all("--require-hashes" in line for line in lines if line not in own)
    assert [line.split("--editable ", 1)[1] for line in own] == [".", "examples/docgraph-faiss"]
    assert all({"--no-index", "--no-build-isolation", "--no-deps"} <= {*o.split()} for o in own)


@pytest.mark.parametrize("target", ["demo", "test"])
def test_a_download_is_announced_with_its_size(target: str, tmp_path: Path) -> None:
    lines = commands(target, environment=tmp_path)
    for lock in set(locks(lines)) - {"requirements-build.lock"}:  # less than a megabyte
        number = next(n for n, line in enumerate(lines) if line.endswith(f"--requirement {lock}"))
        assert re.match(r"echo 'docgraph: .* about \d+ MB to download", lines[number - 1])
