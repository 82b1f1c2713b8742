"""A receipt: the same question gives the same bytes, and nothing else passes for one."""

import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from docgraph.answer.prompt import load_prompt
from docgraph.interfaces.auth.principals import (
    impersonated,
    local,
    principal_of_key,
    principal_of_token,
)
from docgraph.model.access import LOCAL, RIGHTS, ApiKey, Person, Principal
from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput, BadPlan
from docgraph.model.snapshot import Scope, SnapshotName
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import (
    Receipt,
    receipt_from_json,
    receipt_of,
    rights_digest,
)
from docgraph.pipeline.retrieval import MAX_BYTES, plan_from_json
from tests.support.receipts import (
    DOCUMENTS,
    QUESTION,
    FixedReplyModel,
    edit,
    plan_receipt,
    receipt,
    receipt_of_answer,
    receipt_of_ids,
    retrieval,
)
from tests.support.sample_documents import ask
from tests.unit.pipeline.test_run import TOWN

ROOT = Path(__file__).parent.parent.parent.parent
MADE = receipt()
ROSA = Person("rosa", LOCAL, frozenset({"red", "blue"}), frozenset({"secret"}), 2)


def asking(person: Person) -> Principal:
    return impersonated(person, local())


@pytest.mark.requirement(48)
@pytest.mark.parametrize(
    "made",
    [MADE, plan_receipt(), receipt_of_ids("r:mill.md", "r:absent.md"), receipt_of_answer()],
    ids=["context", "plan", "ids", "answer"],
)
def test_json_and_back_is_equal_to_the_byte(made: Receipt) -> None:
    back = receipt_from_json(made.to_json())
    assert back == made
    assert back.to_json() == made.to_json()
    assert receipt_from_json(made.to_json().encode()) == made


@pytest.mark.requirement(48)
def test_a_receipt_is_the_same_in_every_process_and_with_every_hash_seed() -> None:
    program = (
        "from tests.unit.pipeline.test_receipt import *\n"
        "made = receipt_of(retrieval(reader=asking(ROSA)))\n"
        "print(made.to_json() + receipt_of_ids('r:mill.md').to_json())"
    )
    outputs = set()
    for seed in ("0", "1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        outputs.add(
            subprocess.run(command, env=env, cwd=ROOT, capture_output=True, check=True).stdout
        )
    here = (
        receipt_of(retrieval(reader=asking(ROSA))).to_json() + receipt_of_ids("r:mill.md").to_json()
    )
    assert outputs == {here.encode() + b"\n"}


@pytest.mark.requirement(48)
def test_it_tells_everything_that_is_needed_to_do_it_again() -> None:
    made, found = MADE, retrieval()
    assert (made.question, made.seeds, made.embedded_question) == (QUESTION.text, (), QUESTION)
    assert (made.pipeline, made.pipeline_digest) == ("documents", DOCUMENTS.digest)
    steps = [(step.action, dict(step.options)) for step in made.steps]
    assert steps == [(step.action.name, dict(step.options)) for step in DOCUMENTS.steps]
    assert (made.plan, made.plan_digest) == (found.plan, found.plan.digest)
    assert made.context_digest == made.steps[-1].output[1] == found.context.digest
    assert (made.tokenizer, made.reranker, made.answer) == ("words", None, None)


def test_a_receipt_of_a_plan_has_no_context() -> None:
    made = plan_receipt()
    assert (made.context_digest, made.tokenizer) == (None, None)
    assert made.steps[-1].output == ("graph_expanded_nodes", made.plan_digest)


def test_a_reranker_is_named_if_one_was_used() -> None:
    assert receipt(load("flat").with_options("search_nodes", rerank=2)).reranker == "none"


def test_an_answer_without_a_model_is_recorded_by_its_digest() -> None:
    made = receipt_of_answer()
    assert made.answer is not None
    assert made.answer.digest == made.steps[-1].output[1]
    assert (made.answer.model, made.answer.prompt_digest) == ("", "")
    assert made.before_answer == made.steps[:-1] == MADE.steps


def test_an_answer_is_recorded_with_model_prompt_and_sampling() -> None:
    message = receipt_of_answer(FixedReplyModel()).answer
    assert message is not None
    assert (message.model, message.prompt, message.sampling) == (
        "says",
        "cited-1",
        "temperature 0.0, seed 0",
    )
    assert message.prompt_digest == load_prompt("cited-1").digest


def test_it_holds_no_time_no_score_and_no_documents_text() -> None:
    found = retrieval(question=ask("who grinds?"))
    text = receipt_of(found).to_json()
    assert not [word for word in ("milliseconds", "Summary of") if word in text]
    assert not [seed for seed in found.seeds.ranked if str(seed.score) in text]
    assert not [held for held in TOWN.documents for c in held.chunks if c.text in text]


@pytest.mark.requirement(36)
def test_a_snapshots_number_moves_nothing_but_itself_and_the_seal() -> None:
    later = replace(retrieval(), scope=Scope((SnapshotName("r", "main", 4),)))
    one, other = plain(MADE), plain(receipt_of(later))
    assert {key for key in one if one[key] != other[key]} == {"snapshots", "digest"}


def test_who_asked_and_what_they_may_read_are_two_digests() -> None:
    mine, rosas = MADE, receipt_of(retrieval(reader=asking(ROSA)))
    assert mine.principal != rosas.principal
    assert mine.rights != rosas.rights
    assert "rosa" not in rosas.to_json()
    twin = receipt_of(retrieval(reader=asking(replace(ROSA, id="rory"))))
    assert (twin.rights, twin.principal != rosas.principal) == (rosas.rights, True)


def test_a_new_key_leaves_its_person_who_they_are() -> None:
    """Another credential does not: of another issuer, or in whose name somebody asks."""
    keys = [ApiKey(name, "local", "rosa", "2026-01-01T00:00:00+00:00") for name in ("a1", "b2")]
    one, other = (receipt_of(retrieval(reader=principal_of_key(ROSA, key))) for key in keys)
    assert one == other
    tokens = [principal_of_token(ROSA, f"https://{name}.example") for name in "ab"]
    others = {receipt_of(retrieval(reader=who)).principal for who in (*tokens, asking(ROSA))}
    assert len(others - {one.principal}) == 3


@pytest.mark.parametrize(
    "other",
    [
        replace(ROSA, groups=frozenset({"red"})),
        replace(ROSA, labels=frozenset()),
        replace(ROSA, clearance=1),
    ],
)
def test_other_rights_to_read_have_another_digest(other: Person) -> None:
    assert rights_digest(asking(other)) != rights_digest(asking(ROSA))


def test_what_one_may_do_besides_reading_is_not_in_the_digest_of_rights() -> None:
    keeper = replace(ROSA, rights=frozenset(RIGHTS))
    assert rights_digest(asking(keeper)) == rights_digest(asking(ROSA))


def test_the_seal_is_over_everything_else() -> None:
    unsealed = {**plain(MADE), "digest": None}
    assert MADE.digest == digest(unsealed)
    assert sorted(unsealed) == sorted(field.name for field in fields(Receipt))


def refused(text: str | bytes) -> str:
    with pytest.raises(BadInput) as error:
        receipt_from_json(text)
    return str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '"receipt"', "[" * 100_000, b"\xff\xfe{}", '{"a": "\\ud800"}'],
)
def test_what_is_no_receipt_is_refused(text: str | bytes) -> None:
    assert refused(text).startswith("not a receipt: ")


@pytest.mark.parametrize("key", [field.name for field in fields(Receipt)])
def test_every_key_is_needed(key: str) -> None:
    written = plain(MADE)
    del written[key]
    assert refused(json.dumps(written)).startswith(f"not a receipt: {key}")


def test_a_key_that_is_not_known_is_refused() -> None:
    assert "not exactly" in refused(json.dumps({**plain(MADE), "extra": 1}))
    extra = edit(MADE, ("steps", 0), lambda step: {**step, "milliseconds": 1.0})
    assert "not exactly" in refused(extra)
    less = edit(MADE, ("plan", "expanded_documents", 0), without_backwards)
    assert "not exactly" in refused(less)


def without_backwards(message: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in message.items() if key != "backwards"}


@pytest.mark.parametrize("again", ['"format": "x", ', '"seeds": ["r:a"], '])
def test_a_key_that_stands_twice_is_refused(again: str) -> None:
    """The last one would count here, and the first one for another reader."""
    key = again.split('"')[1]
    message = refused(MADE.to_json().replace("{", "{" + again, 1))
    assert message == f"not a receipt: the key {key!r} stands twice in one object"
    inner = MADE.to_json().replace('"action": ', '"action": "drop", "action": ', 1)
    assert refused(inner) == "not a receipt: the key 'action' stands twice in one object"


def test_a_number_is_no_text_and_a_text_no_number() -> None:
    assert "question" in refused(edit(MADE, ("question",), lambda _: 1))
    assert "snapshot" in refused(edit(MADE, ("snapshots", 0, "snapshot"), str))


def test_a_receipt_of_another_format_is_refused_with_the_expected_one() -> None:
    assert refused(edit(MADE, ("format",), lambda _: "docgraph.receipt/3")) == (
        "this receipt has the format 'docgraph.receipt/3'; this docgraph reads "
        "'docgraph.receipt/2': ask the question again for a new receipt"
    )
    other = refused(edit(MADE, ("format",), lambda _: "docgraph.plan/2"))
    assert other == "not a receipt: format: Input should be 'docgraph.receipt/2'"


def test_a_receipt_has_a_size() -> None:
    assert f"at most {MAX_BYTES} bytes" in refused(" " * (MAX_BYTES + 1))


def test_a_plan_with_a_key_twice_is_refused_too() -> None:
    text = retrieval().to_saved_plan().to_json()
    with pytest.raises(BadPlan, match="the key 'order' stands twice"):
        plan_from_json(text.replace('"order": ', '"order": [], "order": ', 1))
