"""A receipt that was changed is not consistent in itself: no store is needed to tell."""

from typing import Any

import pytest

from docgraph.model.digest import plain
from docgraph.model.errors import BadInput
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.receipt_check import find_receipt_problems
from tests.support.receipts import (
    FixedReplyModel,
    edit,
    leaves,
    plan_receipt,
    receipt,
    receipt_of_answer,
    receipt_of_ids,
    reseal,
    with_steps,
)

MADE = receipt()
OF_IDS = receipt_of_ids("r:mill.md", "r:road.md")
ANSWERED = receipt_of_answer(FixedReplyModel())
OTHER = "f" * 64


@pytest.mark.requirement(48)
@pytest.mark.parametrize(
    "made",
    [
        *(MADE, plan_receipt(), OF_IDS, receipt_of_ids("r:absent.md"), ANSWERED),
        *(receipt(load("flat").with_options("search_nodes", rerank=2)), receipt_of_answer()),
    ],
    ids=["context", "plan", "ids", "absent", "answer", "reranked", "no model"],
)
def test_a_receipt_as_it_was_made_is_consistent(made: Receipt) -> None:
    assert find_receipt_problems(made) == ()
    assert find_receipt_problems(receipt_from_json(made.to_json())) == ()


def other(value: Any) -> Any:
    """Another value of the same type, as near as can be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return "x"
    if value == []:
        return ["x"]
    return f"{value[:-1]}{'0' if value[-1:] != '0' else '1'}"


def is_noticed(text: str) -> bool:
    try:
        return bool(find_receipt_problems(receipt_from_json(text)))
    except BadInput:
        return True


@pytest.mark.requirement(48)
@pytest.mark.parametrize("made", [MADE, OF_IDS, ANSWERED], ids=["question", "ids", "answer"])
def test_every_single_change_is_noticed(made: Receipt) -> None:
    paths = [path for path, _ in leaves(plain(made))]
    assert len(paths) > 80
    assert [path for path in paths if not is_noticed(edit(made, path, other))] == []


@pytest.mark.requirement(48)
@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("principal",), "what stands for the principal is not a digest"),
        (("rights",), "what stands for the rights is not a digest"),
        (("question",), "the plan is of another question"),
        (("embedder", "name"), "the plan is of another embedder"),
        (("plan", "question"), "the plan's digest is not that of the plan"),
        (("plan", "query_vector", 0), "read another question"),
        (("plan", "order", 0), "once each"),
        (("plan", "embedder", "dimensions"), "not as many numbers"),
        (("plan_digest",), "the plan's digest is not that of the plan"),
        (("pipeline_digest",), "the pipeline's digest is not that of its steps"),
        (("steps", 0, "action"), "the pipeline's digest is not that of its steps"),
        (("steps", 0, "options", 1, 1), "the pipeline's digest is not that of its steps"),
        (("steps", 0, "options", 1, 0), "the pipeline's digest is not that of its steps"),
        (("steps", 0, "output", 1), "step 2 (select_scope) read another retrieval_seed_nodes"),
        (
            ("steps", 0, "output", 0),
            "step 2 (select_scope) read retrieval_seed_nodes, which no step before",
        ),
        (("steps", 1, "inputs", 0, 1), "step 2 (select_scope) read another retrieval_seed_nodes"),
        (("steps", 2, "inputs", 0, 1), "step 3 (expand_relationships) read another question"),
        (("steps", 2, "output", 1), "the digest of graph_expanded_nodes is not that of the step"),
        (("steps", 4, "output", 1), "the digest of context is not that of the step"),
        (("context_digest",), "the digest of context is not that of the step"),
        (("reranker",), "the plan names another reranker"),
    ],
)
def test_a_change_is_noticed_even_with_a_new_seal(path: tuple[Any, ...], message: str) -> None:
    change = (lambda text: text[:-1]) if path[0] in {"principal", "rights"} else other
    problems = find_receipt_problems(reseal(MADE, path, change))
    assert any(message in problem for problem in problems), problems
    assert not any("its own digest" in problem for problem in problems)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("context_digest",), None, "the digest of context is not that of the step"),
        (("tokenizer",), None, "has a tokenizer"),
        (("steps",), [], "no step made graph_expanded_nodes"),
        (("question",), "  ", "nobody could have asked this"),
        (("question",), " corn", "begins or ends with blanks"),
        (("question",), "x" * 20_001, "nobody could have asked this"),
        (("plan", "query_vector"), [4080, 4080, 0], "longer than any unit vector"),
        (("plan", "query_vector"), [], "not as many numbers"),
        (("plan", "order"), ["r:a", "r:a"], "once each"),
        (("plan", "seed_documents"), [f"r:{n}" for n in range(2_001)], "once each"),
        (("steps", 0, "options"), [["mode", "bm25"], ["mode", "bm25"]], "has an option twice"),
        (("answer",), dict.fromkeys(("model", "prompt", "prompt_digest", "sampling"), "")
         | {"digest": OTHER}, "no step made answer"),
        (("snapshots",), [{"repository": "r", "branch": b, "snapshot": 1} for b in "ab"],
         "name each repository once"),
    ],
)  # fmt: skip
def test_an_inconsistency_is_reported(path: tuple[Any, ...], value: Any, message: str) -> None:
    problems = find_receipt_problems(reseal(MADE, path, lambda _: value))
    assert any(message in problem for problem in problems), problems


def test_an_answer_is_the_last_step_and_its_digest_that_of_the_step() -> None:
    assert ANSWERED.answer is not None
    changed = reseal(ANSWERED, ("answer", "digest"), lambda _: OTHER)
    assert find_receipt_problems(changed) == (
        "the digest of answer is not that of the step that made it",
    )
    gone = reseal(ANSWERED, ("answer",), lambda _: None)
    assert find_receipt_problems(gone) == (
        "the digest of answer is not that of the step that made it",
    )


@pytest.mark.requirement(48)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": "polite-9"}, "the answer's prompt is not the one that its step names"),
        ({"prompt": "polite-9"}, "no prompt is called 'polite-9'"),
        ({"prompt": "../prompts/cited-1"}, "no prompt is called '../prompts/cited-1'"),
        ({"prompt_digest": ""}, "the prompt's digest is not that of cited-1"),
        ({"prompt_digest": OTHER}, "the prompt's digest is not that of cited-1"),
        ({"sampling": "temperature 0.0, seed 7"}, "its step's seed"),
        ({"sampling": "seed 7"}, "its step's seed"),
        ({"sampling": "temperature hot, seed 0"}, "its step's seed"),
        ({"sampling": "by dice"}, "its step's seed"),
        ({"model": ""}, "no model answered, and yet one was asked with a prompt"),
    ],
)
def test_a_recorded_answer_must_fit_its_step(changes: dict[str, str], message: str) -> None:
    problems = find_receipt_problems(
        reseal(ANSWERED, ("answer",), lambda answer: {**answer, **changes})
    )
    assert any(message in problem for problem in problems), problems


@pytest.mark.parametrize("sampling", ["", "seed 0", "temperature 0.0", "temperature 1e-05, seed 0"])
def test_a_server_may_know_no_temperature_or_no_seed(sampling: str) -> None:
    assert find_receipt_problems(reseal(ANSWERED, ("answer", "sampling"), lambda _: sampling)) == ()


def test_a_prompt_that_step_and_answer_agree_on_must_be_there() -> None:
    """They name no file either: one that exists elsewhere is not read."""
    name = "../prompts/cited-1"
    options = [["prompt", name], ["max_output", 800], ["seed", 0]]
    named = with_steps(ANSWERED, lambda steps: [*steps[:-1], {**steps[-1], "options": options}])
    forged = reseal(named, ("answer", "prompt"), lambda _: name)
    assert find_receipt_problems(forged) == (f"no prompt is called {name!r}",)


@pytest.mark.requirement(48)
def test_ids_take_the_place_of_search_and_search_that_of_ids() -> None:
    both = reseal(MADE, ("seeds",), lambda _: ["r:mill.md"])
    assert find_receipt_problems(both) == (
        "ids were given in place of search, and yet a step made retrieval_seed_nodes",
    )
    neither = reseal(OF_IDS, ("seeds",), lambda _: [])
    assert "no ids were given, and no step made retrieval_seed_nodes" in find_receipt_problems(
        neither
    )


@pytest.mark.requirement(48)
@pytest.mark.parametrize("place", range(5))
def test_a_step_with_an_unused_output_is_reported(place: int) -> None:
    """Except for a second select_scope: that one reads what the first made."""
    doubled = with_steps(
        MADE, lambda steps: [*steps[: place + 1], steps[place], *steps[place + 1 :]]
    )
    step = MADE.steps[place]
    idle = f"step {place + 1} ({step.action}) made {step.output[0]}, which no step after it read"
    assert (idle in find_receipt_problems(doubled)) == (step.action != "select_scope")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("embedder", "digest"), "what stands for the embedder is not a digest"),
        (("steps", 3, "output", 1), "step 4 (fetch_evidence) read or made something without"),
        (("steps", 1, "inputs", 0, 1), "step 2 (select_scope) read or made something without"),
    ],
)
def test_every_digest_looks_like_one(path: tuple[Any, ...], message: str) -> None:
    problems = find_receipt_problems(reseal(MADE, path, lambda _: "ABC"))
    assert any(message in problem for problem in problems), problems


def test_a_plan_made_after_the_answer_is_no_plan() -> None:
    """Else nothing before the answer would be left to replay."""
    turned = with_steps(ANSWERED, lambda steps: [steps[-1], *steps[:-1]])
    assert "no step made graph_expanded_nodes" in find_receipt_problems(turned)
    assert "steps follow the answer" in find_receipt_problems(turned)


def test_steps_of_given_ids_read_one_and_the_same_seeds() -> None:
    assert OF_IDS.steps[0].inputs[1][0] == "retrieval_seed_nodes"
    ungiven = reseal(OF_IDS, ("seeds",), lambda _: [])
    assert (
        "step 1 (expand_relationships) read retrieval_seed_nodes, which no step before it made"
        in find_receipt_problems(ungiven)
    )
