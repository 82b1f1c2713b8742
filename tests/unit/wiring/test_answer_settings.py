"""Which models answer: the environment's one, or those that docgraph.yaml lists."""

from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import BadInput
from docgraph.wiring.model_settings import ChatEndpoint
from docgraph.wiring.settings import read_settings

ANSWERS = """\
answer:
  - endpoint: http://one/v1
    model: first
    context_window: 4096
    tokenizer: models/first/tokenizer.json
    key: FIRST_KEY
    labels: [board]
    level: 2
  - {endpoint: http://two/v1, model: second}
"""
THREE = {"DOCGRAPH_ANSWER_ENDPOINT": "http://three/v1", "DOCGRAPH_ANSWER_MODEL": "third"}
FIRST = ChatEndpoint(
    "http://one/v1",
    "first",
    "sesame",
    Clearance(frozenset({"board"}), 2),
    4096,
    "models/first/tokenizer.json",
)


@pytest.mark.requirement(45)
def test_models_that_answer_are_tried_in_the_file_s_order(tmp_path: Path) -> None:
    (tmp_path / "docgraph.yaml").write_text(ANSWERS)
    keys = {"FIRST_KEY": "sesame", "DOCGRAPH_ANSWER_KEY": "other"}
    second = ChatEndpoint("http://two/v1", "second")  # a key that names nobody is not shown to two
    assert read_settings(keys, tmp_path).answer_endpoints == (FIRST, second)
    assert read_settings({}, tmp_path / "elsewhere").answer_endpoints == ()
    assert "sesame" not in repr(read_settings(keys, tmp_path))


@pytest.mark.requirement(47)
def test_a_model_that_the_environment_names_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "docgraph.yaml").write_text(ANSWERS)
    (third,) = read_settings(THREE, tmp_path).answer_endpoints
    assert third == ChatEndpoint("http://three/v1", "third", None, UNCLASSIFIED)
    more = {
        **THREE,
        "DOCGRAPH_ANSWER_KEY": "k",
        "DOCGRAPH_ANSWER_CONTEXT_WINDOW": "100",
        "DOCGRAPH_ANSWER_TOKENIZER": "t.json",
        "DOCGRAPH_ANSWER_LABELS": "hr",
        "DOCGRAPH_ANSWER_LEVEL": "3",
    }
    (third,) = read_settings(more, tmp_path).answer_endpoints
    assert third == ChatEndpoint(
        "http://three/v1", "third", "k", Clearance(frozenset({"hr"}), 3), 100, "t.json"
    )
    (same,) = read_settings(
        {"DOCGRAPH_ANSWER_ENDPOINT": "http://one/v1"}, tmp_path
    ).answer_endpoints
    assert same == replace(FIRST, key=None)
    named = {"DOCGRAPH_ANSWER_ENDPOINT": "http://one/v1", "FIRST_KEY": "sesame"}
    assert read_settings(named, tmp_path).answer_endpoints == (FIRST,)
    (tmp_path / "docgraph.yaml").write_text("answer: [{endpoint: http://one/v1, model: m}]")
    (only,) = read_settings({"DOCGRAPH_ANSWER_KEY": "k"}, tmp_path).answer_endpoints
    assert only.key == "k"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"DOCGRAPH_ANSWER_ENDPOINT": "http://x"}, "needs a model beside it"),
        ({"DOCGRAPH_ANSWER_LEVEL": "0"}, "needs DOCGRAPH_ANSWER_ENDPOINT beside it"),
        ({"DOCGRAPH_ANSWER_MODEL": "m"}, "needs DOCGRAPH_ANSWER_ENDPOINT beside it"),
        ({**THREE, "DOCGRAPH_ANSWER_CONTEXT_WINDOW": "many"}, "'many' is not a number of tokens"),
        ({**THREE, "DOCGRAPH_ANSWER_CONTEXT_WINDOW": "0"}, "'0' is not a number of tokens"),
        ({**THREE, "DOCGRAPH_ANSWER_LEVEL": "-1"}, "'-1' is not a whole number"),
    ],
)
def test_a_model_in_the_environment_is_checked(
    tmp_path: Path, given: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read_settings(given, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("answer: {endpoint: x}", "answer: Input should be a valid array"),
        ("answer: [{endpoint: x}]", "answer.0.model: Field required"),
        ("answer: [{endpoint: x, model: m, context_window: 0}]", "answer.0.context_window:"),
        ("answer: [{endpoint: x, model: m, modle: n}]", "no setting is called 'answer.0.modle'"),
    ],
)
def test_a_model_that_answers_is_written_strictly(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "docgraph.yaml").write_text(text)
    with pytest.raises(BadInput) as error:
        read_settings({}, tmp_path)
    assert message in str(error.value)
