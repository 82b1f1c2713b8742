"""Commands that run without typer get the values that typer would give them."""

from inspect import signature
from typing import Any

import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from docgraph.interfaces.cli import direct, questions

Words = list[str]
VALUES = ("retry", "two words", "7", "0", "٣", "--", "-", "", "é", "a=b", "-3", "words.yaml")
OPTIONS = ("--store", "--json", "-p", "--pipeline", "-r", "--snapshot", "--seed", "--max-tokens")
UNUSUAL = ("--receipt", "--as", "--save", "--store=here", "-ppath", "--no-json", "--unknown")
WORDS = st.lists(st.sampled_from((*VALUES, *OPTIONS, *UNUSUAL)), max_size=7)


def read_by_typer(name: str, words: Words) -> dict[str, Any] | None:
    """None if it refuses the words."""
    command, given_values = getattr(questions, name), []

    def record(**values: Any) -> None:
        given_values.append(values)

    record.__signature__ = signature(command)  # type: ignore[attr-defined]
    record.__annotations__ = command.__annotations__
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(record)
    CliRunner().invoke(app, words)
    return given_values[0] if given_values else None


def read_directly(name: str, words: Words) -> dict[str, Any] | None:
    return direct.read_plainly(signature(getattr(questions, name)).parameters, words)


@given(st.sampled_from(sorted(direct.COMMANDS)), WORDS)
@example("context", ["retry", "--max-tokens", "7", "--seed", "a", "--json", "--seed", "b"])
@example("search", ["--store", "here", "retry", "-p", "words.yaml", "--snapshot", "7"])
@example("plan", ["--seed", "a=b"])
def test_words_that_are_read_directly_have_the_values_that_typer_gives(
    name: str, words: Words
) -> None:
    found = read_directly(name, words)
    if found is not None:
        assert found == read_by_typer(name, words)


@pytest.mark.parametrize(
    "words",
    [
        ["retry"],
        ["two words", "--store", "here.db", "--json"],
        ["-p", "code", "retry", "-r", "shop", "--branch", "main", "--snapshot", "3"],
        ["retry", "--max-tokens", "500", "--seed", "a", "--seed", "b"],
    ],
)
def test_usual_questions_are_read_directly(words: Words) -> None:
    found = read_directly("context", words)
    assert found is not None
    assert found == read_by_typer("context", words)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["retry", "--unknown"],
        ["retry", "--max-tokens", "0"],
        ["retry", "--max-tokens", "many"],
        ["retry", "--store"],
        ["retry", "--json", "--receipt", "file"],
        ["--", "retry"],
        ["retry", "and", "more"],
        ["retry", "--store", "a", "--store", "b"],
    ],
)
def test_what_typer_has_to_explain_or_convert_is_left_to_it(words: Words) -> None:
    assert read_directly("context", words) is None


def test_a_search_without_a_question_is_left_to_typer() -> None:
    assert read_directly("search", ["--json"]) is None
