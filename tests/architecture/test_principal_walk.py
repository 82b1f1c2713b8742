"""Only the module `principals` creates a Principal; other modules use the name in types only."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from docgraph.model.access import Principal

SOURCE = Path(__file__).parent.parent.parent / "src" / "docgraph"
PRINCIPALS_MODULE = SOURCE / "interfaces" / "auth" / "principals.py"
NAME = Principal.__name__
FIELDS = frozenset(field.name for field in fields(Principal))
COPY = "replace"  # of dataclasses and of copy
BYPASSES = frozenset({"__class__", "__replace__", "__setattr__"})


def find_creations(tree: ast.Module) -> Iterator[int]:
    """Lines on which a Principal could be created."""
    known = {NAME, *aliases(tree, NAME)}
    for part in outside_types(tree):
        match part:
            case ast.Name(id=name, ctx=ast.Load()) if name in known:
                yield part.lineno
            case ast.Attribute(attr=name) if name in {NAME, *BYPASSES}:
                yield part.lineno
            case ast.Constant(value=text) if text == NAME:
                yield part.lineno
            case ast.Call(func=ast.Call(func=ast.Name(id="type"))):
                yield part.lineno
            case _:
                continue
    yield from find_copies(tree, known)


def find_copies(tree: ast.Module, known: set[str]) -> Iterator[int]:
    """Lines on which `replace` could copy a Principal, under whatever name."""
    copies, typed = {COPY, *aliases(tree, COPY)}, annotations(tree)
    called = {id(part.func) for part in ast.walk(tree) if isinstance(part, ast.Call)}
    for part in outside_types(tree):
        match part:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=text), *_]):
                if text == COPY:
                    yield part.lineno
            case ast.Name(id=name, ctx=ast.Load()) if name in copies and id(part) not in called:
                yield part.lineno
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name == COPY:
                if module in modules(tree) and id(part) not in called:
                    yield part.lineno
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[copied, *_]) if (
                name in copies and could_change_principal(part)
            ):
                if known & typed.get(name_of(copied), known):
                    yield part.lineno


def could_change_principal(copy: ast.Call) -> bool:
    """By the names of the changed fields; `**changes` may be any."""
    changed = {keyword.arg for keyword in copy.keywords}
    return bool(changed) and changed <= {*FIELDS, None}


def aliases(tree: ast.Module, imported: str) -> Iterator[str]:
    """Other names under which a module imports something."""
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            names = (alias.asname for alias in part.names if alias.name == imported)
            yield from filter(None, names)


def modules(tree: ast.Module) -> set[str]:
    """The names of imported modules that have a `replace`."""
    found = (
        alias for part in ast.walk(tree) if isinstance(part, ast.Import) for alias in part.names
    )
    return {alias.asname or alias.name for alias in found if alias.name in ("copy", "dataclasses")}


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
    """All nodes except annotations, type parameters and docstrings."""
    for role, value in ast.iter_fields(part):
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            is_type = role in {"annotation", "returns", "slice"}
            if isinstance(child, ast.AST) and not is_docstring and not is_type:
                yield child
                yield from outside_types(child)


def creations_elsewhere() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if path != PRINCIPALS_MODULE:
            for line in find_creations(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{path.relative_to(SOURCE)}:{line}"


def test_only_the_module_principals_creates_a_principal() -> None:
    assert list(creations_elsewhere()) == []
    assert list(find_creations(ast.parse(PRINCIPALS_MODULE.read_text(encoding="utf-8"))))


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
        "changed(asker, groups=frozenset(headers['x-groups']))",
        "data.replace(asker, groups=frozenset({'board'}))",
        "change = replace",
        "change = data.replace",
        "partial(replace, asker)(groups=frozenset())",
        "getattr(data, 'replace')(asker, groups=frozenset())",
    ],
)
def test_every_way_to_create_a_principal_is_found(line: str) -> None:
    """Inserted into a module that imports Principal."""
    module = (
        "from docgraph.model.access import Principal\n"
        "from docgraph.model.access import Principal as P\n"
        "from dataclasses import replace, replace as changed\n"
        "import dataclasses as data\n"
        "def ask(asker: Principal, other: P) -> Principal:\n"
        f"    {line}\n"
    )
    assert set(find_creations(ast.parse(module))) == {6}


def test_types_and_other_values_are_not_reported() -> None:
    module = (
        '"""Principal"""\n'
        "Login = Callable[[frozenset[str]], Principal]\n"
        "def ask(asker: Principal, rule: AccessRule, to: 'Principal | None' = None) -> Principal:\n"
        "    found: dict[str, Principal] = {}\n"
        "    replace(rule, labels=frozenset())\n"
        "    replace(asker.question, text='')\n"
        "    return found[asker.id.replace('a', 'b')]\n"
    )
    assert list(find_creations(ast.parse(module))) == []
