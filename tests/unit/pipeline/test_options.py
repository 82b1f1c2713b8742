"""Checking an action's options against its signature."""

import json
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter

from docgraph.action import Option
from docgraph.model.errors import BadPipeline
from docgraph.pipeline.catalog import ACTIONS, IMPLICIT_ACTIONS
from docgraph.pipeline.pipeline import fits_plainly, validate_options, validate_value
from docgraph.yaml_lines import Line


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("annotation", "value", "checked"),
    [
        (int, 8, 8),
        (bool, False, False),
        (float, 1, 1.0),
        (int | None, None, None),
        (tuple[str, ...] | None, ["a", "b"], ("a", "b")),
        (tuple[str, ...] | None, [], ()),
        (Literal["out", "in"], "in", "in"),
    ],
)
def test_a_value_becomes_what_its_type_says(annotation: Any, value: Any, checked: Any) -> None:
    assert validate_value(annotation, value) == checked


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, "8"),
        (int, 8.0),
        (int, True),
        (bool, 1),
        (bool, "yes"),
        (float, "0.5"),
        (int, None),
        (tuple[str, ...] | None, "calls"),
        (tuple[str, ...] | None, [1]),
        (Literal["out", "in"], "sideways"),
        (float, float("nan")),
        (float, float("inf")),
        (int, {"a": 1}),
        (int, object()),
    ],
)
def test_a_value_of_another_type_is_refused(annotation: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        validate_value(annotation, value)


OPTIONS = {
    f"{action.name}.{option.name}": option
    for action in (*ACTIONS.values(), *IMPLICIT_ACTIONS)
    for option in action.options
}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_values_that_pass_without_pydantic_are_those_that_pydantic_leaves_as_they_are(
    option: Option,
) -> None:
    numbers: tuple[Any, ...] = (
        -1,
        0,
        0.0,
        0.3,
        0.5,
        0.66,
        1,
        1.0,
        5,
        6,
        500,
        501,
        1000,
        1001,
        2**31,
        10**40,
    )
    words = ("bm25", "both", "ingestion", "seed_first", "cited-1", "calls", "", "\ud83d")
    for value in (*numbers, *words, True, False, None, [], ["calls"], {}, float("nan")):
        if fits_plainly(option.annotation, value):
            text = json.dumps(value)
            checked = TypeAdapter(option.annotation).validate_json(text, strict=True)
            assert (checked, type(checked)) == (value, type(value)), value


def test_defaults_of_shipped_actions_pass_without_pydantic_but_fractions_do_not() -> None:
    left = {
        name
        for name, option in OPTIONS.items()
        if not fits_plainly(option.annotation, option.default)
    }
    assert left == {"select_scope.share", "select_scope.cluster"}


@pytest.mark.requirement(41)
def test_a_refusal_says_which_values_are_valid() -> None:
    with pytest.raises(ValueError, match=r"'sideways': Input should be 'out' or 'in'"):
        validate_value(Literal["out", "in"], "sideways")


@pytest.mark.requirement(41)
def test_options_are_checked_by_name_with_file_line_and_step() -> None:
    search = ACTIONS["search_nodes"]
    given = {"top": Line(3, 7), "mode": Line("bm25", 8)}
    assert validate_options("a: b.yaml", search, "step 1", given) == {"top": 3, "mode": "bm25"}
    with pytest.raises(BadPipeline, match=r"^a: b.yaml:9: step 1: no option is called 'modes'; "):
        validate_options("a: b.yaml", search, "step 1", {"modes": Line("bm25", 9)})
    with pytest.raises(BadPipeline, match=r"^a: b.yaml:9: step 1: top: 'x': "):
        validate_options("a: b.yaml", search, "step 1", {"top": Line("x", 9)})
