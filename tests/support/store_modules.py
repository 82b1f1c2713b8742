"""Modules of the SQL stores as they are written: what each says, takes, runs and imports."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ADAPTERS = "docgraph.adapters"
SOURCE = Path(__file__).parent.parent.parent / "src" / "docgraph"
SHARED = ("indexes", "sql")  # the packages that every SQL store is made with

Functions = tuple[ast.FunctionDef, ...]
Position = tuple[str, str]
Finding = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Module:
    """Its name is that of its package and its own: `sql.version_table`."""

    name: str
    tree: ast.Module

    def place(self, inside: Functions) -> Position:
        return self.name, inside[-1].name if inside else ""

    def texts(self) -> Iterator[tuple[Position, str]]:
        """Every string that is not a docstring."""
        for inside, part in parts(self.tree):
            if (text := string_value(part)) is not None:
                yield self.place(inside), text

    def files(self) -> frozenset[str]:
        """The .sql files that it names."""
        return frozenset(text for _, text in self.texts() if re.fullmatch(r"\w+\.sql", text))

    def takes(self) -> Iterator[Finding]:
        """Where it asks for a .sql file, and for which."""
        for inside, part in parts(self.tree):
            match part:
                case ast.Call(func=ast.Name(id=taker) | ast.Attribute(attr=taker)):
                    if takes_a_file(taker):
                        yield *self.place(inside), ast.unparse(part.args[-1])
                case _:
                    pass

    def unwalked(self) -> Iterator[Finding]:
        """Where it lets a database run what is no literal, and what that is."""
        for inside, part in parts(self.tree):
            match part:
                case ast.Call(func=ast.Attribute(attr=runs)) if runs.startswith("execute"):
                    if string_value(part.args[0]) is None:
                        yield *self.place(inside), ast.unparse(part.args[0])
                case _:
                    pass

    def neighbours(self) -> frozenset[str]:
        """Modules of the adapters that it imports, and what is in them."""
        found: set[str] = set()
        for _, part in parts(self.tree):
            if isinstance(part, ast.Import | ast.ImportFrom):
                package = f"{part.module}." if isinstance(part, ast.ImportFrom) else ""
                found.update((package[:-1], *(package + alias.name for alias in part.names)))
        start = f"{ADAPTERS}."
        return frozenset(name.removeprefix(start) for name in found if name.startswith(start))


def parts(tree: ast.AST, inside: Functions = ()) -> Iterator[tuple[Functions, ast.AST]]:
    """Everything but docstrings, each with the functions it stands in, the innermost last."""
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            deeper = (*inside, child) if isinstance(child, ast.FunctionDef) else inside
            yield deeper, child
            yield from parts(child, deeper)


def string_value(part: ast.AST) -> str | None:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else None


def normalised_code(code: str) -> str:
    """As this Python spells it."""
    return ast.unparse(ast.parse(code))


def takes_a_file(function: str) -> bool:
    """Whether this opens a .sql file, or asks for one."""
    takers = {"load_queries", "named_queries", "queries", "script"}
    return function in takers or function.endswith("Queries")


def folder(package: str) -> Path:
    return SOURCE / "adapters" / package


def module(path: Path) -> Module:
    name = f"{path.parent.name}.{path.stem}"
    return Module(name, ast.parse(path.read_text(encoding="utf-8")))


def modules(*packages: str) -> dict[str, Module]:
    paths = (path for package in packages for path in sorted(folder(package).glob("*.py")))
    return {found.name: found for found in map(module, paths)}
