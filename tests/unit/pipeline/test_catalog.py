"""Every action that YAML may name."""

import inspect

import pytest

from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.catalog import ACTIONS, IMPLICIT_ACTIONS, PROVIDED_TYPES
from docgraph.pipeline.pipeline import validate_value
from docgraph.plan.plan_seeds import MAX_DEPTH


@pytest.mark.requirement(41)
def test_the_catalogue_holds_the_actions_of_both_systems() -> None:
    assert {name: action.makes for name, action in ACTIONS.items()} == {
        "search_nodes": Seeds,
        "select_scope": Seeds,
        "expand_relationships": RetrievalPlan,
        "expand_dependency_tree": RetrievalPlan,
        "fetch_evidence": RetrievedContext,
        "fetch_node_texts": RetrievedContext,
        "assemble_context": Context,
        "answer_question": Answer,
    }
    assert [action.name for action in IMPLICIT_ACTIONS] == ["plan_seeds"]


@pytest.mark.requirement(41)
@pytest.mark.parametrize("name", ACTIONS)
def test_one_action_is_one_file_one_function_one_word(name: str) -> None:
    assert ACTIONS[name].function.__module__.endswith(f".{name}")
    assert (inspect.getdoc(inspect.getmodule(ACTIONS[name].function)) or "").startswith(f"{name}:")


@pytest.mark.requirement(41)
@pytest.mark.parametrize("name", ACTIONS)
def test_what_an_action_requires_is_given_or_made_by_another(name: str) -> None:
    made = {action.makes for action in (*ACTIONS.values(), *IMPLICIT_ACTIONS)}
    assert all(kind in PROVIDED_TYPES or kind in made for _, kind in ACTIONS[name].requires)


@pytest.mark.requirement(41)
@pytest.mark.parametrize("name", ACTIONS)
def test_every_option_has_a_default(name: str) -> None:
    assert all(o.default is not inspect.Parameter.empty for o in ACTIONS[name].options)


BOUNDS: dict[str, dict[str, tuple[object, tuple[int, int] | None]]] = {
    "search_nodes": {
        "mode": ("hybrid", None),
        "top": (8, (1, 1000)),
        "over": ("documents", None),
        "roll_up": (True, None),
        "refine": (True, None),
        "fusion": ("normalised_scores", None),
        "pool": (200, (1, 10_000)),
        "per_document": (0, (0, 1000)),
        "rerank": (0, (0, 1000)),
    },
    "select_scope": {
        "repository": (True, None),
        "kind": (True, None),
        "share": (0.66, None),
        "cluster": (0.3, (0, 1)),
    },
    "expand_relationships": {
        "max_documents": (6, (1, 500)),
        "max_seed_documents": (3, (1, 500)),
        "relations": (None, None),
        "admit": ("competitive", None),
    },
    "expand_dependency_tree": {
        "max_depth": (2, (0, 5)),
        "max_nodes": (40, (1, 500)),
        "relations": (None, None),
        "direction": ("out", None),
    },
    "fetch_evidence": {"per_document": (5, (1, 1000)), "max_chunks": (30, (1, 10_000))},
    "fetch_node_texts": {
        "order": ("seed_first", None),
        "max_chars": (None, (1, 10_000_000)),
        "max_tokens": (None, (1, 10_000_000)),
    },
    "assemble_context": {"max_tokens": (4000, (1, 10_000_000))},
    "answer_question": {
        "prompt": ("cited-1", None),
        "max_output": (800, (1, 100_000)),
        "seed": (0, (0, 2**31 - 1)),
    },
}


@pytest.mark.requirement(41)
@pytest.mark.parametrize("name", ACTIONS)
def test_every_option_has_the_default_and_the_bounds_that_are_promised(name: str) -> None:
    assert {option.name for option in ACTIONS[name].options} == set(BOUNDS[name])
    for option in ACTIONS[name].options:
        default, bounds = BOUNDS[name][option.name]
        assert option.default == default
        for end, beyond in zip(bounds or (), (-1, 1), strict=False):
            assert validate_value(option.annotation, end) == end
            with pytest.raises(ValueError, match="Input should be"):
                validate_value(option.annotation, end + beyond)


@pytest.mark.requirement(20)
def test_only_the_tree_has_a_depth_and_it_has_a_maximum() -> None:
    deep = [name for name, action in ACTIONS.items() if action.option("max_depth")]
    assert deep == ["expand_dependency_tree"]
    option = ACTIONS["expand_dependency_tree"].option("max_depth")
    assert option is not None
    assert f"le={MAX_DEPTH}" in str(option.annotation)
