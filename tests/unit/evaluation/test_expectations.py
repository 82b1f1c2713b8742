"""Expectations of retrieval: read strictly, judged plainly, written for CI servers."""

from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from docgraph.evaluation.expectations import (
    Expectation,
    Verdict,
    find_problems,
    item_matches,
    read_expectations,
    write_junit,
)
from docgraph.model.context import ContextItem, Reasons
from docgraph.model.errors import BadInput
from docgraph.model.node import Location
from tests.support.contexts import context_of


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def item(document: str, node: str, position: int = 0) -> ContextItem:
    path = document.partition(":")[2]
    return ContextItem(
        number=1,
        node=node,
        id=f"{node}@{position}",
        title="T",
        heading_path=(),
        location=Location(path, 1, 2, 0, 9),
        text="text",
        tokens=1,
        labels=frozenset(),
        level=0,
        why=Reasons("seed 1 of 1", "everyone", "1 token"),
    )


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
- question: How often?
  must_include: [notes:a.md, b.md]
  must_not_include: [notes:c.md]
  as: ann
  max_tokens: 900
  pipeline: code
  repository: notes
  branch: main
  snapshot: 3
- {question: "And why?", must_include: [a.md]}
"""
    assert read_expectations(written(tmp_path, text)) == (
        Expectation(
            "How often?",
            2,
            ("notes:a.md", "b.md"),
            ("notes:c.md",),
            "ann",
            900,
            "code",
            "notes",
            "main",
            3,
        ),
        Expectation("And why?", 11, ("a.md",)),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question: x", ":1: a list of"),
        ("[]", ":1: a list of"),
        ("- x", ":1: an entry is"),
        ("- {question: x}", ":1: expects nothing"),
        ("- {must_include: [a]}", ":1: question: Field required"),
        ("- {question: '', must_include: [a]}", ":1: question:"),
        ("- question: x\n  must_inclued: [a]", ":2: unknown key 'must_inclued'"),
        ("- {question: x, must_include: a}", ":1: must_include:"),
        ("- {question: x, must_include: [1]}", ":1: must_include.0:"),
        ("- {question: x, max_tokens: 0}", ":1: max_tokens:"),
        ("- {question: x, max_tokens: '9'}", ":1: max_tokens:"),
        ("- {question: x, as: 7, max_tokens: 9}", ":1: `as` takes"),
        ("- {question: x, question: y}", ":1:"),
        ("- &a {question: x}", ":1:"),
    ],
)
def test_what_is_not_a_list_of_questions_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(BadInput) as error:
        read_expectations(written(tmp_path, text))
    assert message in str(error.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_expectations(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("r:a.py", True),
        ("a.py", True),
        ("r:a.py::Store.open", True),
        ("r:a.py::Store", True),
        ("r:a.py::Store.open@2", True),
        ("r:a.py::Stor", False),
        ("r:a", False),
        ("b.py", False),
        ("other:a.py", False),
        ("r:a.py::Store.open@1", False),
    ],
)
def test_an_item_fits_by_its_ids_by_those_around_it_and_by_its_path(name: str, good: bool) -> None:
    assert item_matches(item("r:a.py", "r:a.py::Store.open", 2), name) is good


def test_missing_and_unexpected_items_are_reported() -> None:
    expected = Expectation("q", 1, ("r:a.md", "r:b.md"), ("r:c.md", "r:d.md"))
    found = context_of(item("r:a.md", "r:a.md"), item("r:c.md", "r:c.md#x", 4))
    assert find_problems(expected, found) == (
        "does not include r:b.md",
        "includes r:c.md: r:c.md#x@4 (seed 1 of 1)",
    )
    assert find_problems(Expectation("q", 1, ("r:a.md",), ("r:d.md",)), found) == ()


def test_ci_servers_can_read_it() -> None:
    bad = Verdict(Expectation("Is <this> \x00 & that?", 4, as_="ann"), ("no", "<no>"), 5, 0.25)
    good = Verdict(Expectation("Fine?", 9, ("a",)), (), 5, 0.5)
    suite = Xml.fromstring(write_junit("questions.yaml", (bad, good)))
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "0.750")
    first, second = suite.findall("testcase")
    assert first.get("name") == "Is <this> \ufffd & that? (as ann)"
    failure = first.find("failure")
    assert failure is not None
    assert failure.text == "no\n<no>"
    assert second.find("failure") is None
    assert second.get("line") == "9"
