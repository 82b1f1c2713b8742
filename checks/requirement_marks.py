"""A pytest plugin: with `--requirements FILE`, writes which test covers which requirement."""

import json
from pathlib import Path

import pytest

PROPERTY = "requirement"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--requirements", type=Path, metavar="FILE", help="write kept marks as JSON")


def pytest_configure(config: pytest.Config) -> None:
    file: Path | None = config.getoption("--requirements")
    if file is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(CoveredRequirements(file))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Properties, unlike marks, travel from a worker process to the one that writes."""
    item.user_properties.extend(
        (PROPERTY, number)
        for mark in item.iter_markers("requirement")
        for number in mark.args or [None]
    )


class CoveredRequirements:
    """Collects the outcome of every marked test and writes them when all have run."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.numbers: dict[str, list[object]] = {}
        self.kept: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        numbers = [number for name, number in report.user_properties if name == PROPERTY]
        if numbers:
            self.numbers[report.nodeid] = numbers
            self.kept[report.nodeid] = self.kept.get(report.nodeid, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        rows = [
            {"test": test, "requirements": self.numbers[test], "passed": self.kept[test]}
            for test in sorted(self.numbers)
        ]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
