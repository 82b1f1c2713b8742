"""A function that only calls another one with what it was given is a pass-through."""

import ast
from pathlib import Path

import pytest

from checks.pass_through import is_pass_through, measure_pass_through
from checks.source_files import SourceFile


def _function(source: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return function


@pytest.mark.parametrize(
    "source",
    [
        "def f(a, b): return g(b, a)",
        "def f(a):\n    'A docstring.'\n    module.g(a)",
        "def f(self, a, *, b): return self.part.g(a, b=b)",
        "def f(self, *rows, **values): return self.g(self.tenant, *rows, **values)",
        "def f(self): return self.part.close()",
        "async def f(a): return await g(a)",
    ],
)
def test_one_call_with_own_parameters_is_a_pass_through(source: str) -> None:
    assert is_pass_through(_function(source))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(a): return g(a, 1)", id="a constant is added"),
        pytest.param("def f(a): return g(a.b)", id="an attribute of a parameter is taken"),
        pytest.param("def f(a): return g(h(a))", id="two calls"),
        pytest.param("def f(a): return h(a).g()", id="a call on a result"),
        pytest.param("def f(a): return g(TABLE)", id="a global is handed on"),
        pytest.param("def f(a): return a + 1", id="no call"),
        pytest.param("def f(a):\n    b = a\n    return g(b)", id="two statements"),
        pytest.param("def f(self): return self.part", id="an attribute"),
    ],
)
def test_a_function_that_does_anything_else_is_not(source: str) -> None:
    assert not is_pass_through(_function(source))


def test_the_share_is_of_functions_that_have_a_body() -> None:
    text = (
        "class P:\n"
        "    def stub(self): ...\n"
        "    def described(self):\n        'Only a docstring.'\n"
        "    def one(self, a): return g(a)\n"
        "    def two(self, a): return a + 1\n"
        "    def three(self, a): return a + 2\n"
    )
    share = measure_pass_through([SourceFile(Path("p.py"), text)])
    assert (share.functions, share.percent) == (3, 33.3)
    assert share.pass_through == ("p.py:5 one",)
