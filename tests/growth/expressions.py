"""Every regular expression of docgraph, with the methods that the code calls on it."""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import docgraph

SOURCE = Path(docgraph.__file__).parent
IMPORT = re.compile(r"\b(import|from) re\b")
METHODS = frozenset({"findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"})


@dataclass(frozen=True, slots=True)
class Expression:
    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


@dataclass(frozen=True)
class Module:
    """`path` is below src/docgraph."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        parts = ("docgraph", *Path(self.path).with_suffix("").parts)
        return ".".join(parts).removesuffix(".__init__")


@cache
def modules() -> tuple[Module, ...]:
    return tuple(
        Module(path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    )


def places() -> tuple[str, ...]:
    """Where expressions are, as `module:name`."""
    found = (f"{module.path}:{owner}" for module in modules() for owner, _ in _calls(module))
    return tuple(dict.fromkeys(found))


def expressions(where: str, examples: Mapping[str, tuple[Any, ...]]) -> list[Expression]:
    """`examples` has patterns for each place whose pattern is made while it runs."""
    module = next(one for one in modules() if one.path == where.partition(":")[0])
    return [
        Expression(where, pattern, _methods(module, owner, call))
        for owner, call in _calls(module)
        if where == f"{module.path}:{owner}"
        for pattern in _patterns(module, call, examples.get(where))
    ]


@cache
def _calls(module: Module) -> tuple[tuple[str, ast.Call], ...]:
    """Calls that make or use a pattern, with the name at the top of the module they belong to."""
    if not IMPORT.search(module.text):
        return ()
    return tuple(pair for statement in module.tree.body for pair in _calls_in(statement))


def _calls_in(statement: ast.stmt) -> Iterator[tuple[str, ast.Call]]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    owner = getattr(statement, "name", "") or "".join(map(ast.unparse, targets))
    for node in ast.walk(statement):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError("write `import re`, so that its calls are found")
        if isinstance(node, ast.Call) and _called(node) in METHODS | {"compile"}:
            yield owner, node


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(ast.Name("re"), name):
            return name
        case _:
            return ""


def _patterns(
    module: Module, call: ast.Call, examples: tuple[Any, ...] | None
) -> list[re.Pattern[Any]]:
    names = vars(importlib.import_module(module.name))
    flags = [one.value for one in call.keywords if one.arg == "flags"]
    flags += call.args[1:2] if _called(call) == "compile" else []
    try:
        texts = [_value(call.args[0], names)] if examples is None else list(examples)
    except NameError as error:
        raise AssertionError(f"{module.path}:{call.lineno}: add examples of it") from error
    return [re.compile(text, _value(flags[0], names) if flags else 0) for text in texts]


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    return eval(ast.unparse(node), dict(names))


def _methods(module: Module, owner: str, call: ast.Call) -> frozenset[str]:
    """Those of its name; of one that is passed on, those that its module calls on any variable."""
    if _called(call) != "compile":
        return frozenset({_called(call)})
    users = (module,) if owner.startswith("_") or owner.islower() else modules()
    uses = {pair for user in users for pair in _uses(user)}
    own = frozenset(method for name, method in uses if name == owner)
    passed_on = frozenset(method for name, method in uses if not name.isupper()) - {"split"}
    return own or passed_on  # texts are split too


@cache
def _uses(module: Module) -> frozenset[tuple[str, str]]:
    """What a method of a pattern is taken from, with the method."""
    return frozenset(
        (ast.unparse(node.value), node.attr)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in METHODS
        and ast.unparse(node.value) not in {"re", "os.path"}
    )
