"""Requirements are counted by the passing tests that carry their numbers."""

import json
from pathlib import Path

import pytest

from checks.count_requirements import DOCUMENT, main, read_requirements

TWO_LINES = """\
# Promises

## A. Nodes

| # | status | source | promise |
|--:|---|:-:|---|
| 1 | done | S | Every document is a node. |
| 2 | open |  | Every chunk has one node. |
"""


def result(test: str, *numbers: object, passed: bool = True) -> dict[str, object]:
    return {"test": test, "requirements": numbers, "passed": passed}


class Counted:
    """The outcome of one count: its exit status and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.capsys = capsys
        self.folder = folder

    def __call__(
        self, *results: dict[str, object], document: str = TWO_LINES, brief: bool = False
    ) -> tuple[int, str]:
        promises, outcomes = self.folder / "requirements.md", self.folder / "results.json"
        promises.write_text(document, encoding="utf-8")
        outcomes.write_text(json.dumps(results), encoding="utf-8")
        options = ["--brief"] if brief else []
        status = main([*options, "--document", str(promises), str(outcomes)])
        said = self.capsys.readouterr()
        return status, said.out + said.err


@pytest.fixture
def count(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Counted:
    return Counted(capsys, tmp_path)


def test_a_line_is_printed_with_its_passing_tests(count: Counted) -> None:
    status, said = count(result("tests/t.py::test_a_node", 1))
    assert status == 0
    assert "  1 done  Every document is a node.\n      ✓ tests/t.py::test_a_node\n" in said
    assert said.endswith("2 requirements: 1 done, 1 with passing tests, 1 without: 2\n")


def test_an_open_line_may_have_tests_already(count: Counted) -> None:
    status, said = count(result("t::a", 1, 2))
    assert status == 0
    assert said.endswith("2 requirements: 1 done, 2 with passing tests, 0 without\n")


def test_a_line_marked_done_without_a_test_fails(count: Counted) -> None:
    status, said = count(result("t::b", 2))
    assert status == 1
    assert "line 1 is marked done and no passing test keeps it" in said


def test_a_failing_test_covers_no_requirement(count: Counted) -> None:
    status, said = count(result("t::a", 1, passed=False))
    assert status == 1
    assert "✓" not in said


def test_a_parametrized_test_covers_a_line_if_all_cases_pass(count: Counted) -> None:
    assert "✓ t::a (2 cases)" in count(result("t::a[x]", 1), result("t::a[y]", 1))[1]
    assert count(result("t::a[x]", 1), result("t::a[y]", 1, passed=False))[0] == 1


@pytest.mark.parametrize("number", [0, 3, "1", None])
def test_a_mark_with_an_unknown_number_fails(number: object, count: Counted) -> None:
    status, said = count(result("t::a", 1, number))
    assert status == 1
    assert f"t::a carries requirement({number!r}): there is 1 to 2" in said


def test_a_status_is_done_or_open(count: Counted) -> None:
    status, said = count(result("t::a", 1), document=TWO_LINES.replace("open", "almost"))
    assert status == 1
    assert "line 2 has the status 'almost': it is either done or open" in said


def test_no_number_is_left_out(count: Counted) -> None:
    status, said = count(result("t::a", 1), document=TWO_LINES.replace("| 2 |", "| 3 |"))
    assert status == 1
    assert "numbered [1, 3]: they must count up from 1" in said


def test_a_brief_count_prints_only_the_sums(count: Counted) -> None:
    said = count(result("t::a", 1), brief=True)[1]
    assert said == "2 requirements: 1 done, 1 with passing tests, 1 without: 2\n"


def test_the_projects_own_document_has_75_lines_in_sixteen_sections() -> None:
    requirements = read_requirements(DOCUMENT.read_text(encoding="utf-8"))
    assert [r.number for r in requirements] == list(range(1, 76))
    assert len({r.section for r in requirements}) == 16
