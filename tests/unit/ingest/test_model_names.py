"""Names that people write alike are one name, and a question's identifiers are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.identifiers import (
    identifiers,
    normalise_name,
)


@pytest.mark.parametrize("spelling", ["PEP 484", "pep-0484", "Pep484", "PEP_484", " pep  484 "])
def test_a_numbered_name_has_one_spelling(spelling: str) -> None:
    assert normalise_name(spelling) == "pep484"


def test_a_date_and_a_version_keep_their_joints() -> None:
    assert normalise_name("2024-01-05") == "2024-1-5"
    assert normalise_name("v1.05") == "v1.05"


@given(st.text())
def test_normalising_twice_changes_nothing(name: str) -> None:
    assert normalise_name(normalise_name(name)) == normalise_name(name)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what does fetch_evidence do?", ("fetch_evidence",)),
        ("Where is Store.open_session() defined", ("store.open_session",)),
        ("see docs/adr/0012-sqlite.md, please", ("docs/adr/12-sqlite.md",)),
        ("why ADR-012 and not PEP 484 or rfc 9110?", ("adr12", "pep484", "rfc9110")),
        ("how do `open` and open differ", ("open",)),
        ("does `open(path, mode)` close", ("open",)),
        ("HttpServer or httpServer", ("httpserver",)),
        ("pkg::Type and doc.md#part", ("pkg::type", "doc.md#part")),
        ("is RetrievalPlan's digest stable", ("retrievalplan",)),
        ("run `docgraph eval x_y`", ("docgraph eval x_y", "x_y")),
        ("./run.sh twice: ./run.sh", ("run.sh",)),
    ],
)
def test_an_identifier_is_known_by_its_shape(question: str, found: tuple[str, ...]) -> None:
    assert identifiers(question) == found


@pytest.mark.parametrize(
    "question",
    ["how do I open a file", "e.g. in the U.S. at 3.11", "well-known words, and more", "", "#12 ?"],
)
def test_plain_words_are_no_identifiers(question: str) -> None:
    assert identifiers(question) == ()


@given(st.text())
def test_any_question_has_some_answer(question: str) -> None:
    found = identifiers(question)
    assert len(set(found)) == len(found)
    assert all(normalise_name(name) == name for name in found)
