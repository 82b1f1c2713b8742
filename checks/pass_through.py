"""Functions that only call another one.

A function is a pass-through when its whole body, docstring apart, is one `return` or expression
that is one call (awaited or not), where

- what is called is a name or a dotted name: `f`, `module.f`, `self.part.f`;
- every argument, also by keyword or after `*` or `**`, is a parameter of the function unchanged,
  or `self`, `cls` or an attribute of them. The order is free, and some may be left out.

Functions without a body (`...`, `pass` or a docstring alone, as in protocols) are not counted at
all; nested functions and methods are.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.source_files import SourceFile

Function = ast.FunctionDef | ast.AsyncFunctionDef
_RECEIVERS = frozenset({"self", "cls"})


@dataclass(frozen=True, slots=True)
class PassThroughShare:
    functions: int
    pass_through: tuple[str, ...]

    @property
    def percent(self) -> float:
        return round(100 * len(self.pass_through) / self.functions, 1) if self.functions else 0.0


def measure_pass_through(files: Iterable[SourceFile]) -> PassThroughShare:
    functions = [(file, node) for file in files for node in _functions(file.tree)]
    return PassThroughShare(
        len(functions),
        tuple(
            f"{file.path}:{node.lineno} {node.name}"
            for file, node in functions
            if is_pass_through(node)
        ),
    )


def is_pass_through(function: Function) -> bool:
    body = _statements(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if isinstance(call, ast.Await):
        call = call.value
    if not isinstance(call, ast.Call) or _root(call.func) is None:
        return False
    parameters = _parameters(function)
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(_is_forwarded(argument, parameters) for argument in arguments)


def _functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function) and _statements(node):
            yield node


def _statements(function: Function) -> list[ast.stmt]:
    """The body without docstring, `...` and `pass`."""
    return [
        statement
        for statement in function.body
        if not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]


def _parameters(function: Function) -> frozenset[str]:
    given = function.args
    ordinary = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    collecting = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return frozenset(argument.arg for argument in [*ordinary, *collecting])


def _is_forwarded(argument: ast.expr, parameters: frozenset[str]) -> bool:
    if isinstance(argument, ast.Starred):
        argument = argument.value
    if isinstance(argument, ast.Name):
        return argument.id in parameters
    return _root(argument) in _RECEIVERS & parameters


def _root(expression: ast.expr) -> str | None:
    """The first name of a dotted name; None for any other expression."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None
