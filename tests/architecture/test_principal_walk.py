"""Only `principals` makes a Principal: nobody else as much as names one, but in types."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from docgraph.model.access import Principal

SOURCE = Path(__file__).parent.parent.parent / "src" / "docgraph"
MAKER = SOURCE / "interfaces" / "auth" / "principals.py"
NAME = Principal.__name__
FIELDS = frozenset(field.name for field in fields(Principal))
REPLACING = frozenset({"__class__", "__replace__", "__setattr__"})


def makings(tree: ast.Module) -> Iterator[int]:
    """Lines on which a Principal could come into being."""
    known = {NAME, *aliases(tree)}
    typed = annotations(tree)
    for part in outside_types(tree):
        match part:
            case ast.Name(id=name, ctx=ast.Load()) if name in known:
                yield part.lineno
            case ast.Attribute(attr=name) if name in {NAME, *REPLACING}:
                yield part.lineno
            case ast.Constant(value=text) if text == NAME:
                yield part.lineno
            case ast.Call(func=ast.Call(func=ast.Name(id="type"))):
                yield part.lineno
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[copied, *_]
            ) if called == "replace" and could_change_one(part):
                if known & typed.get(name_of(copied), known):
                    yield part.lineno


def could_change_one(copy: ast.Call) -> bool:
    """By the names of what it changes; `**changes` may be any."""
    changed = {keyword.arg for keyword in copy.keywords}
    return bool(changed) and changed <= {*FIELDS, None}


def aliases(tree: ast.Module) -> Iterator[str]:
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            yield from (alias.asname for alias in part.names if alias.name == NAME and alias.asname)


def annotations(tree: ast.Module) -> dict[str, set[str]]:
    """Names, each with every word of the types that the module gives it."""
    found: dict[str, set[str]] = {}
    for part in ast.walk(tree):
        if isinstance(part, ast.arg | ast.AnnAssign) and part.annotation is not None:
            name = part.arg if isinstance(part, ast.arg) else name_of(part.target)
            words = re.findall(r"\w+", ast.unparse(part.annotation))
            found.setdefault(name, set()).update(words)
    return found


def name_of(part: ast.expr) -> str:
    return part.id if isinstance(part, ast.Name) else ""


def outside_types(part: ast.AST) -> Iterator[ast.AST]:
    """All but annotations, what stands in brackets behind a type, and docstrings."""
    for role, value in ast.iter_fields(part):
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            is_type = role in {"annotation", "returns", "slice"}
            if isinstance(child, ast.AST) and not is_docstring and not is_type:
                yield child
                yield from outside_types(child)


def places() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if path != MAKER:
            for line in makings(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(SOURCE)}:{line}"


def test_only_principals_makes_a_principal() -> None:
    assert list(places()) == []
    assert list(makings(ast.parse(MAKER.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "line",
    [
        "Principal('root', 'local')",
        "P('root', 'local')",
        "access.Principal('root', 'local')",
        "docgraph.model.access.Principal('root', 'local')",
        "list(map(Principal, names))",
        "make = Principal",
        "partial(P, tenant='local')",
        "Principal.__new__(Principal)",
        "class Root(Principal): ...",
        "getattr(access, 'Principal')('root', 'local')",
        "type(asker)('root', 'local')",
        "asker.__class__('root', 'local')",
        "object.__setattr__(asker, 'groups', frozenset({'board'}))",
        "replace(asker, groups=frozenset({'board'}))",
        "dataclasses.replace(asker, tenant='other', clearance=9)",
        "copy.replace(self._asker, rights=frozenset())",
        "asker.__replace__(labels=frozenset())",
        "replace(asker, **changes)",
        "replace(other, by='')",
    ],
)
def test_every_way_to_make_one_is_found(line: str) -> None:
    """Planted on purpose, in a module that has every right to know what a Principal is."""
    module = (
        "from docgraph.model.access import Principal\n"
        "from docgraph.model.access import Principal as P\n"
        "def ask(asker: Principal, other: P) -> Principal:\n"
        f"    {line}\n"
    )
    assert set(makings(ast.parse(module))) == {4}


def test_types_and_other_values_are_left_alone() -> None:
    module = (
        '"""Principal"""\n'
        "Login = Callable[[frozenset[str]], Principal]\n"
        "def ask(asker: Principal, rule: AccessRule, to: 'Principal | None' = None) -> Principal:\n"
        "    found: dict[str, Principal] = {}\n"
        "    replace(rule, labels=frozenset())\n"
        "    replace(asker.question, text='')\n"
        "    return found[asker.id.replace('a', 'b')]\n"
    )
    assert list(makings(ast.parse(module))) == []
