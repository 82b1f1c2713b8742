"""Runs a question's command as its declaration says, without the command line of all commands.

Building that takes as long as answering. Only plain words are understood here, for any others there
is typer: it gives the same values for these, and says what is wrong with those.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, get_args, get_origin

from typer import Exit
from typer.models import ArgumentInfo, OptionInfo

COMMANDS = frozenset({"ask", "context", "plan", "search"})


def run_directly(words: Sequence[str]) -> bool:
    """Whether the command was run; ends the process as typer does where it is to fail."""
    if os.name == "nt" or not words or words[0] not in COMMANDS:  # typer expands wildcards there
        return False
    from docgraph.interfaces.cli import questions

    command: Callable[..., None] = getattr(questions, words[0])
    values = read_plainly(signature(command).parameters, words[1:])
    if values is None:
        return False
    try:
        command(**values)
    except Exit as ended:
        sys.exit(ended.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    return True


def read_plainly(
    parameters: Mapping[str, Parameter], words: Sequence[str]
) -> dict[str, Any] | None:
    """A value for each parameter; None if a word needs more than looking up what it is."""
    by_word = {
        word: name
        for name, parameter in parameters.items()
        for word in _names(_declaration(parameter))
    }
    places = [
        name for name, one in parameters.items() if isinstance(_declaration(one), ArgumentInfo)
    ]
    given: dict[str, list[str]] = {}
    rest = iter(words)
    for word in rest:
        if name := by_word.get(word):
            value = "" if _kind(parameters[name]) is bool else next(rest, "-")
        elif places:
            name, value = places.pop(0), word
        else:
            return None
        if value.startswith("-"):
            return None
        given.setdefault(name, []).append(value)
    return _values(parameters, given)


def _values(
    parameters: Mapping[str, Parameter], given: Mapping[str, Sequence[str]]
) -> dict[str, Any] | None:
    values: dict[str, Any] = {}
    for name, parameter in parameters.items():
        try:
            values[name] = _value(parameter, given[name]) if name in given else parameter.default
        except ValueError:
            return None
        if values[name] is Parameter.empty:
            return None
    return values


def _value(parameter: Parameter, words: Sequence[str]) -> Any:
    """A ValueError where typer would have more to do, or to say."""
    kind, declared = _kind(parameter), _declaration(parameter)
    if kind == list[str]:
        return list(words)
    if len(words) > 1:
        raise ValueError(words)
    if kind is bool:
        return True
    if not words[0]:
        raise ValueError(words)
    if kind is str:
        return words[0]
    if kind is int and words[0].isascii() and words[0].isdigit():
        number = int(words[0])
        if declared.min is None or number >= declared.min:
            return number
    raise ValueError(words)


def _kind(parameter: Parameter) -> Any:
    """Without `| None`."""
    kind = get_args(parameter.annotation)[0]
    possible = [one for one in get_args(kind) if one is not type(None)]
    return possible[0] if possible and get_origin(kind) is not list else kind


def _declaration(parameter: Parameter) -> OptionInfo | ArgumentInfo:
    declared: OptionInfo | ArgumentInfo = get_args(parameter.annotation)[1]
    return declared


def _names(declared: OptionInfo | ArgumentInfo) -> tuple[str, ...]:
    """typer takes the first one for a default while it stands in an annotation."""
    if isinstance(declared, ArgumentInfo):
        return ()
    return (str(declared.default), *(declared.param_decls or ()))
