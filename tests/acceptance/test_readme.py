"""Examples in the README and the docs are run, and their output must match."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from checks.draw_terminal import draw_terminal
from docgraph.interfaces.cli.progress.lines import PREFIX

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "pictures" / "plan.svg"
INSTALLED = Path(sys.executable).parent
WARM = ROOT / "tests" / "support" / "warm_docgraph.py"

# ```sh and ```python are run and must work, ```sh fails must not; ```text straight after it is what
# it prints.
EXAMPLE = re.compile(
    r"^```(?:(?P<python>python)|sh)(?P<fails> fails)?\n(?P<commands>.*?)^```\n"
    r"(?:\s*```text\n(?P<shown>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
SET_UP = re.compile(r"^(?:make|\. \.venv/).*\n", re.MULTILINE)
# What may differ between machines: digests, times. `…` stands for what is left out.
VARYING = re.compile(r"(\b[0-9a-f]{12,64}\b| +[0-9.]+ ms\b|…)")
MARK = "@@ example "
NO_NETWORK = """
import sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo"}:
        raise PermissionError("this session has no network")

sys.addaudithook(refuse)
"""


@dataclass(frozen=True, slots=True)
class Example:
    commands: str
    fails: bool
    shown: str | None


def examples(page: Path) -> list[Example]:
    """Without the lines that install docgraph."""
    found = (
        Example(_commands(match), bool(match["fails"]), match["shown"])
        for match in EXAMPLE.finditer(page.read_text(encoding="utf-8"))
    )
    return [example for example in found if example.commands]


def _commands(match: re.Match[str]) -> str:
    if match["python"]:
        return f"python - <<'END_OF_PROGRAM'\n{match['commands']}END_OF_PROGRAM\n"
    return SET_UP.sub("", match["commands"])


def first_ingest() -> list[Example]:
    """The examples of the README up to its ingest; every page of the docs continues from there."""
    session = examples(README)
    last = next(n for n, example in enumerate(session) if "docgraph ingest" in example.commands)
    return session[: last + 1]


def environment(folder: Path, programs: Path) -> dict[str, str]:
    """Without a network, and with these programs before all others."""
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    return {
        **{name: value for name, value in os.environ.items() if not name.endswith("_COLOR")},
        "PATH": f"{programs}:{INSTALLED}:{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "TMPDIR": str(folder),
    }


@contextmanager
def warm_docgraph() -> Iterator[Path]:
    """A folder with a `docgraph` program that has its imports loaded."""
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,  # a socket's path may not be long
        subprocess.Popen(
            [sys.executable, WARM, folder],
            cwd=folder,
            env=environment(Path(folder), INSTALLED),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield Path(folder)
        process.communicate()


def run_examples(session: list[Example], folder: Path, programs: Path = INSTALLED) -> list[str]:
    """The output of each example, in one shell, in an empty folder, without a network.

    The pages leave out the progress of ingests, as they say."""
    run = subprocess.run(
        ["bash", "-c", "\n".join(script(session))],
        cwd=folder,
        env=environment(folder, programs),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout
    shown = re.sub(rf"^{PREFIX}.*\n", "", run.stdout, flags=re.MULTILINE)
    return re.split(rf"^{MARK}\d+\n", shown, flags=re.MULTILINE)[1:]


def script(session: list[Example]) -> Iterator[str]:
    yield "set -e"
    for number, example in enumerate(session):
        yield f"echo '{MARK}{number}'"
        yield (
            f"if (\n{example.commands}\n); then exit 99; fi" if example.fails else example.commands
        )


def pattern(shown: str) -> str:
    """A regular expression of the output; a line `…` is any number of lines."""
    return "".join(
        r"(?:.*\n)*?" if line == "…\n" else "".join(map(_part_pattern, VARYING.split(line)))
        for line in shown.splitlines(keepends=True)
    )


def _part_pattern(part: str) -> str:
    if not VARYING.fullmatch(part):
        return re.escape(part)
    return ".*" if part == "…" else r" +[0-9.]+ ms" if part.endswith(" ms") else "[0-9a-f]+"


PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if examples(page)]


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    with warm_docgraph() as folder:
        yield folder


@pytest.mark.requirement(12)
def test_the_examples_of_the_readme_print_what_it_shows(tmp_path: Path) -> None:
    own = examples(README)
    assert_prints(own, run_examples(own, tmp_path))


@pytest.mark.requirement(12)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, programs: Path
) -> None:
    own, before = examples(page), first_ingest()
    assert_prints(own, run_examples(before + own, tmp_path, programs)[len(before) :])


def assert_prints(session: list[Example], outputs: list[str]) -> None:
    for example, output in zip(session, outputs, strict=True):
        if example.shown is not None:
            assert re.fullmatch(pattern(example.shown), output), f"{example.commands}{output}"


def test_the_readme_shows_every_step_from_folder_to_context() -> None:
    commands = "".join(example.commands for example in examples(README))
    for step in ("docgraph ingest", "docgraph plan", "docgraph context"):
        assert step in commands


def picture(folder: Path) -> str:
    """The plan of the README as an image with colours."""
    (plan,) = (e.commands.strip() for e in examples(README) if "docgraph plan" in e.commands)
    coloured = Example(f"FORCE_COLOR=1 TERM=xterm-256color {plan}\n", fails=False, shown=None)
    return draw_terminal(run_examples([*first_ingest(), coloured], folder)[-1], plan)


def test_the_picture_shows_the_plan_of_the_readme(tmp_path: Path) -> None:
    assert re.fullmatch(pattern(PICTURE.read_text(encoding="utf-8")), picture(tmp_path))


def test_examples_have_no_network(tmp_path: Path) -> None:
    connect = "import socket; socket.create_connection(('127.0.0.1', 9))"
    (output,) = run_examples(
        [Example(f'python -c "{connect}"\n', fails=True, shown=None)], tmp_path
    )
    assert "this session has no network" in output


if __name__ == "__main__":  # make picture
    with tempfile.TemporaryDirectory() as empty:
        PICTURE.write_text(picture(Path(empty)), encoding="utf-8")
