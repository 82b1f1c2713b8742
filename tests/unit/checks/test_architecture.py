"""A code base within its limits passes; above a limit, the check fails and names the measure."""

import sys
import tomllib
from pathlib import Path

import pytest

from checks import architecture
from checks.architecture import Measure, find_exceeded, format_table, main

PROJECT = """
[project.scripts]
docgraph = "docgraph.interfaces:main"
[[tool.importlinter.contracts]]
name = "Imports go down"
"""
CLI = """
class Row: ...

def main(max_tokens=1):
    run()

def run():
    return helper()

def helper():
    return 1 + 1
"""
EXPECTED = {
    "modules": 2,
    "testing_modules": 1,
    "lines": 10,
    "median_length": 5,
    "p95_length": 10,
    "entered_files": 1,
    "pass_through_percent": 66.7,
    "option_files": 1,
    "duplicate_classes": 1,
    "repeated_runs": 1,
    "dialect_words": 1,
    "import_cycles": 0,
    "contracts": 1,
}


@pytest.fixture(autouse=True)
def made_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "pyproject.toml": PROJECT,
        "src/docgraph/__init__.py": "",
        "src/docgraph/interfaces.py": CLI.lstrip(),
        "src/docgraph/testing/suite.py": "class Row: ...\nclass DocgraphRetriever: ...\n",
        "src/docgraph/a.sql": "".join(f"SELECT {n};\n" for n in range(6)),
        "src/docgraph/b.sql": "".join(f"SELECT {n};\n" for n in range(6)),
        "README.md": "A gizmo.\n",
        "dialect.txt": "gizmo\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    # A package that is imported already would be looked up where it came from.
    monkeypatch.delitem(sys.modules, "docgraph", raising=False)
    monkeypatch.setattr(architecture, "ROOT", tmp_path)
    monkeypatch.setattr(architecture, "DIALECT", tmp_path / "dialect.txt")
    monkeypatch.setattr(architecture, "LIMITS", tmp_path / "limits.toml")


def _set_limits(folder: Path, limits: dict[str, float]) -> None:
    lines = (f"{name} = {limit}\n" for name, limit in limits.items())
    (folder / "limits.toml").write_text("".join(lines))


def test_every_measure_is_taken_and_passes_at_its_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _set_limits(tmp_path, EXPECTED)
    assert main([]) == 0
    heading, *rows, words = capsys.readouterr().out.splitlines()
    assert heading.split() == ["measure", "value", "limit"]
    assert {row.split()[0]: float(row.split()[1]) for row in rows} == EXPECTED
    assert words == "most frequent dialect words: gizmo 1"


def test_one_measure_above_its_limit_fails_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _set_limits(tmp_path, {**EXPECTED, "repeated_runs": 0})
    assert main([]) == 1
    (complaint,) = capsys.readouterr().err.splitlines()
    assert complaint.startswith("limits.toml: repeated_runs is 1, and at most 0 is allowed")


def test_counted_items_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "repeated_runs"]) == 0
    assert capsys.readouterr().out == "6 lines: a.sql:1 and b.sql:1\n"


def test_an_unknown_measure_to_show_names_those_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--show", "module"])
    assert "there is no measure module: modules, testing_modules" in capsys.readouterr().err


def test_each_measure_can_exceed_its_limit() -> None:
    for name, value in EXPECTED.items():
        measures = [Measure(name, value)]
        assert not list(find_exceeded(measures, {name: value}))
        assert list(find_exceeded(measures, {name: value - 1}))


def test_a_limit_without_a_measure_fails() -> None:
    (complaint,) = find_exceeded([Measure("lines", 1)], {"line": 1})
    assert complaint == "nothing is measured as line; there is lines"


def test_a_measure_without_a_limit_is_only_printed() -> None:
    assert not list(find_exceeded([Measure("lines", 10)], {}))
    *_, row = format_table([Measure("lines", 10)], {})
    assert row.split() == ["lines", "10", "-"]


def test_every_limit_is_of_a_measure() -> None:
    limits = tomllib.loads(Path(architecture.__file__).with_suffix(".toml").read_text())
    assert limits.keys() <= EXPECTED.keys()
