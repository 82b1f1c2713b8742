"""In how many modules an option of a question's request is spelled.

Only modules that fill or carry a request are searched. A module counts when the option is a name,
an attribute, a parameter or a keyword in it, or a whole word of a string. Comments do not count,
nor does what a result holds: `context.max_tokens`, a copy of it, or a field of a result
(`max_tokens: int`, without a default). Elsewhere the word is something else: an option of an
action, a parameter of a model.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from checks.source_files import SourceFile

LAYERS = ("pipeline/request", "engine", "evaluation", "wiring", "interfaces", "integrations")
RESULTS = frozenset({"context", "page"})
_FIELDS = ("id", "attr", "arg", "name")


def find_option_files(files: Iterable[SourceFile], option: str) -> tuple[Path, ...]:
    word = re.compile(rf"\b{re.escape(option)}\b")
    return tuple(
        file.path
        for file in files
        if _carries_requests(file.path)
        and option in file.text
        and any(_mentions(node, word) for node in _request_nodes(file.tree))
    )


def _carries_requests(path: Path) -> bool:
    """A layer is a package, or a module by its name."""
    parts = {path.with_suffix(""), *path.parents}
    return any(Path(layer) in parts for layer in LAYERS)


def _request_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that belong to a result."""
    if _is_of_result(node):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _request_nodes(child)


def _is_of_result(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in RESULTS
        case ast.keyword(value=ast.Attribute() as value):
            return _is_of_result(value)
        case ast.AnnAssign(annotation=ast.Name(), value=None):
            return True
        case _:
            return False


def _mentions(node: ast.AST, word: re.Pattern[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and word.search(node.value) is not None
    return any(word.fullmatch(str(getattr(node, field, ""))) for field in _FIELDS)
