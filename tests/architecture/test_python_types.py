"""A program that is strictly checked sees docgraph's own types."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import docgraph

with docgraph.open("notes.db") as g:
    reveal_type(g)
    found = g.ask("Why?", as_=docgraph.Person("ada", "local"))
    reveal_type(found)
    reveal_type(found.answer.text)
    reveal_type(found.evidence)
    reveal_type(g.relations())
try:
    g.nodes(["a"])
except docgraph.DocgraphError as error:
    reveal_type(error)
"""
REVEALED = (
    "docgraph.interfaces.python.docgraph.Docgraph",
    "docgraph.interfaces.python.result.Result",
    "str",
    "tuple[docgraph.model.context.ContextItem, ...]",
    "tuple[docgraph.model.edge.Relationship, ...]",
    "docgraph.model.errors.DocgraphError",
)
WRONG = """
import docgraph
from docgraph import Nonsense
docgraph.opne("notes.db")
docgraph.open(7)
docgraph.open("notes.db").ask("Why?", as_=7)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def checked(code: str, place: Path, cache: Path) -> list[str]:
    (place / "program.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--no-error-summary"]
    done = subprocess.run(
        [*command, "--hide-error-context", "--cache-dir", str(cache), "program.py"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_a_strictly_checked_program_sees_types(tmp_path: Path, cache: Path) -> None:
    said = checked(PROGRAM, tmp_path, cache)
    assert [line.partition(" type is ")[2].strip('"') for line in said] == list(REVEALED)


def test_a_strictly_checked_program_is_reported_what_is_wrong(tmp_path: Path, cache: Path) -> None:
    lines = [
        int(line.split(":")[1]) for line in checked(WRONG, tmp_path, cache) if "error:" in line
    ]
    assert lines == [3, 4, 5, 6]
