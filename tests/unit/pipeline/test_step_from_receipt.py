"""Recorded steps can be run again as long as their actions and options are there."""

from dataclasses import replace

import pytest

from docgraph.model.errors import BadPipeline
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.receipt import ReceiptStep
from docgraph.pipeline.replay import step_from_receipt

NOTHING: frozenset[type] = frozenset()


def message(pipeline: Pipeline) -> list[ReceiptStep]:
    return [
        ReceiptStep(step.action.name, tuple(step.options.items()), (), ("", ""))
        for step in pipeline.steps
    ]


SEARCH, SCOPE, EXPAND, *_ = message(load("documents"))


@pytest.mark.parametrize("name", sorted(shipped_pipelines()))
def test_recorded_steps_are_the_pipelines_own(name: str) -> None:
    pipeline = load(name)
    made: frozenset[type] = NOTHING
    steps = []
    for one in message(pipeline):
        steps.append(step_from_receipt(one, made))
        made |= {steps[-1].action.makes}
    assert Pipeline(name, tuple(steps)).digest == pipeline.digest


def refused(step: ReceiptStep, made: frozenset[type] = NOTHING) -> str:
    with pytest.raises(BadPipeline) as error:
        step_from_receipt(step, made)
    return str(error.value)


def test_an_action_that_is_gone_is_refused() -> None:
    gone = replace(SEARCH, action="serch_nodes")
    assert "no action is called 'serch_nodes'; did you mean 'search_nodes'" in refused(gone)


def test_an_option_that_is_gone_is_refused() -> None:
    gone = replace(SEARCH, options=(*SEARCH.options, ("tops", 8)))
    assert "search_nodes: no option is called 'tops'; did you mean" in refused(gone)


def test_an_option_that_is_new_is_refused() -> None:
    assert "has a new option, 'mode'" in refused(replace(SEARCH, options=SEARCH.options[1:]))


@pytest.mark.parametrize("value", [0, 1001, "8", True, 8.5, None])
def test_a_value_that_no_longer_fits_is_refused(value: str | int | float | None) -> None:
    options = tuple(dict(SEARCH.options, top=value).items())
    assert refused(replace(SEARCH, options=options)).startswith("search_nodes: top: ")


def test_options_that_exclude_each_other_are_refused() -> None:
    fetch = next(one for one in message(load("code")) if one.action == "fetch_node_texts")
    both = replace(fetch, options=tuple(dict(fetch.options, max_tokens=9).items()))
    assert "max_chars" in refused(both, frozenset({RetrievalPlan}))


def test_a_step_needs_what_it_reads() -> None:
    assert refused(EXPAND) == ("expand_relationships needs Seeds, which no step before it made")
    assert step_from_receipt(EXPAND, frozenset({Seeds})).action.name == "expand_relationships"
