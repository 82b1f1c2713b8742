"""A checked pipeline as a value."""

import pytest

from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.catalog import ACTIONS
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline, Step


def names(pipeline: Pipeline) -> list[str]:
    return [step.action.name for step in pipeline.steps]


@pytest.mark.requirement(41)
def test_a_step_holds_every_option_of_its_action() -> None:
    step = Step.of(ACTIONS["fetch_evidence"], {"max_chunks": 3})
    assert step.options == {"per_document": 5, "max_chunks": 3}


def test_a_step_cannot_be_changed_in_place() -> None:
    step = Step.of(ACTIONS["fetch_evidence"], {})
    with pytest.raises(TypeError):
        step.options["max_chunks"] = 3  # type: ignore[index]
    assert step.with_options({"max_chunks": 3}).options["max_chunks"] == 3
    assert step.options["max_chunks"] == 30


def test_a_pipeline_can_stop_early() -> None:
    documents = load("documents")
    assert names(documents.up_to(Seeds)) == ["search_nodes", "select_scope"]
    assert names(documents.up_to(RetrievalPlan))[-1] == "expand_relationships"
    assert documents.up_to(Context) == documents.before(Answer)
    assert documents.up_to(Answer) == documents
    assert documents.before(Answer).before(Answer) == documents.before(Answer)
    assert documents.up_to(Seeds).up_to(Context).steps == ()


@pytest.mark.requirement(24)
def test_a_pipeline_can_start_from_what_it_is_handed() -> None:
    documents = load("documents")
    assert names(documents.starting_from(Seeds))[0] == "expand_relationships"
    assert names(documents.starting_from(RetrievalPlan)) == [
        "fetch_evidence",
        "assemble_context",
        "answer_question",
    ]
    search = documents.up_to(Seeds)
    assert search.starting_from(RetrievalPlan) == search


@pytest.mark.requirement(44)
def test_the_digest_is_of_the_actions_and_all_their_options() -> None:
    documents = load("documents")
    assert documents.digest == Pipeline("another name", documents.steps).digest
    assert documents.digest != documents.with_options("search_nodes", top=9).digest
    assert documents.digest == documents.with_options("search_nodes", top=8).digest
    assert documents.digest != documents.up_to(RetrievalPlan).digest


def test_changing_one_action_leaves_the_others() -> None:
    before = load("documents")
    after = before.with_options("assemble_context", max_tokens=9)
    assert (after.steps[:-2], after.steps[-1]) == (before.steps[:-2], before.steps[-1])
    assert after.steps[-2].options["max_tokens"] == 9
