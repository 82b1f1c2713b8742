"""In how many modules an option of a question is spelled.

A module counts when the option is a name, an attribute, a parameter or a keyword in it, or a whole
word of a string. Comments do not count. While no request object exists, every use of the word is
taken for the request's option.
"""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from checks.source_files import SourceFile

_FIELDS = ("id", "attr", "arg", "name")


def find_option_files(files: Iterable[SourceFile], option: str) -> tuple[Path, ...]:
    word = re.compile(rf"\b{re.escape(option)}\b")
    return tuple(
        file.path
        for file in files
        if option in file.text and any(_spells(node, word) for node in ast.walk(file.tree))
    )


def _spells(node: ast.AST, word: re.Pattern[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and word.search(node.value) is not None
    return any(word.fullmatch(str(getattr(node, field, ""))) for field in _FIELDS)
