"""`make demo` installs what a user needs, `make test` adds the rest, each once, and both say so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STAMPS = (".locked", ".installed", ".dev-installed")
USERS = ["requirements.lock", "requirements-build.lock"]


def commands(*words: str, environment: Path) -> list[str]:
    """The commands that make would run with `environment` instead of .venv."""
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
def complete_environment(tmp_path: Path) -> Path:
    """An environment in which everything has been installed."""
    for stamp in STAMPS:
        (tmp_path / stamp).touch()
    return tmp_path


def test_bytecode_is_kept_also_where_the_environment_forbids_it(tmp_path: Path) -> None:
    more = tmp_path / "more.mk"
    more.write_text('show:\n\t@"$(PYTHON)" -c "import sys; print(sys.dont_write_bytecode)"\n')
    words = ["make", "--no-print-directory", "--file=Makefile", f"--file={more}", "show"]
    here = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    forbidden = {**here, "PYTHONDONTWRITEBYTECODE": "1"}
    shown = subprocess.check_output(
        [*words, f"PYTHON={sys.executable}"], cwd=ROOT, env=forbidden, text=True
    )
    assert shown == "False\n"


def test_the_demo_needs_no_package_that_only_developers_need(tmp_path: Path) -> None:
    lines = commands("demo", environment=tmp_path)
    assert locks(lines) == USERS
    assert lines[-2].endswith("/bin/docgraph demo")


@pytest.mark.parametrize("target", ["test", "check"])
def test_developers_get_the_rest_in_the_same_environment(target: str, tmp_path: Path) -> None:
    assert locks(commands(target, environment=tmp_path))[:3] == [*USERS, "requirements-dev.lock"]


def test_a_test_after_the_demo_adds_only_the_rest(complete_environment: Path) -> None:
    (complete_environment / ".dev-installed").unlink()
    assert locks(commands("test", environment=complete_environment)) == ["requirements-dev.lock"]


@pytest.mark.parametrize("target", ["demo", "test"])
def test_installed_packages_are_not_installed_again(
    target: str, complete_environment: Path
) -> None:
    assert installs(commands(target, environment=complete_environment)) == []


@pytest.mark.parametrize("lock", [*USERS, "requirements-dev.lock"])
def test_a_changed_lock_creates_a_new_environment(lock: str, complete_environment: Path) -> None:
    lines = commands("--what-if", lock, "test", environment=complete_environment)
    assert any(f"-m venv --clear {complete_environment}" in line for line in lines)
    assert locks(lines) == [*USERS, "requirements-dev.lock"]


def test_nothing_is_installed_without_a_hash_but_docgraph_and_its_examples(tmp_path: Path) -> None:
    *locked, own, examples = sorted(
        installs(commands("test", environment=tmp_path)), key=lambda line: "--editable" in line
    )
    assert all({"--require-hashes", "--no-deps"} <= {*line.split()} for line in locked)
    for line in (own, examples):
        assert {"--no-index", "--no-build-isolation", "--no-deps"} <= {*line.split()}
    folders = {f"examples/{path.parent.name}" for path in ROOT.glob("examples/*/pyproject.toml")}
    assert {*re.findall(r"--editable (\S+)", examples)} == folders


@pytest.mark.parametrize("target", ["demo", "test"])
def test_a_download_is_announced_with_its_size(target: str, tmp_path: Path) -> None:
    lines = commands(target, environment=tmp_path)
    for lock in set(locks(lines)) - {"requirements-build.lock"}:  # less than a megabyte
        number = next(n for n, line in enumerate(lines) if line.endswith(f"--requirement {lock}"))
        assert re.match(r"echo 'docgraph: .* about \d+ MB to download", lines[number - 1])
