"""Parses code with tree-sitter within limits that count the input and the parser's steps, no time.

Each error costs tree-sitter up to as much as all that it has read, so that a file of errors takes
the square of its length or more; a chain of `a<` takes memory likewise. So brackets are counted
first. Then the file is parsed piece by piece, each time with the tree so far; code with few errors
passes, and is parsed whole. Other code, such as a long list, which is an error until it is closed,
and long code are parsed with a count of steps and errors, which takes longer and ends at a limit.
"""

import re
from collections.abc import Iterator

from tree_sitter import Language as Grammar
from tree_sitter import LogType, Parser, Point, Query, QueryCursor, Tree

MAX_DEPTH = 1_000  # of brackets, also of `<` without its `>` in one statement
MAX_ERRORS = 500
_MAX_STEPS_PER_BYTE = 50  # ordinary code takes 4 to 6
_MIN_STEPS = 50_000
_FIRST_PIECE_BYTES = 512
_PIECE_BYTES = 2_048
_MAX_PIECEWISE_BYTES = 32_768  # with every piece, all that comes before it is read again
_MAX_PIECE_ERRORS = 150
_READ_BYTES = 64  # between two reads the limits are not checked
_BRACKET = re.compile(rb"[(\[{<]|[)\]}>]|;")


def parse(grammar: Grammar, errors: Query, data: bytes) -> tuple[Tree, str]:
    """The tree, and why it is that of an empty file; `errors` is the grammar's `errors_query`."""
    problem = _find_depth_problem(data)
    small = len(data) <= _MAX_PIECEWISE_BYTES
    if not problem and small and _has_few_errors(grammar, errors, data):
        return Parser(grammar).parse(data), ""
    tree = None
    if not problem:
        tree, problem = _parse_with_limits(grammar, data)
    return tree or Parser(grammar).parse(b""), problem


def errors_query(grammar: Grammar) -> Query:
    return Query(grammar, "(ERROR) @error (ERROR _ @error) (MISSING) @error")


def _find_depth_problem(data: bytes) -> str:
    depth = angles = 0
    for match in _BRACKET.finditer(data):
        mark = match[0]
        if mark == b"<":
            angles += 1
        elif mark == b">":
            angles = max(0, angles - 1)
        else:
            depth += (mark in b"([{") - (mark in b")]}" and depth > 0)
            angles = 0 if mark in b";{}" else angles
        if depth > MAX_DEPTH or angles > MAX_DEPTH:
            return f"brackets are nested more than {MAX_DEPTH:,} deep"
    return ""


def _has_few_errors(grammar: Grammar, errors: Query, data: bytes) -> bool:
    """Whether no piece has many nodes in errors when the file ends behind it or behind the next."""
    parser, tree = Parser(grammar), None
    total = begin = before = 0
    at = Point(0, 0)
    for end in _piece_ends(len(data)):
        begun = data[:end]
        if tree is not None:
            tree.edit(begin, begin, end, at, at, at := _point(begun, begin, at))
            tree = parser.parse(begun, tree)
        else:
            at = _point(begun, 0, at)
            tree = parser.parse(begun)
        if tree.root_node.has_error:
            starts = _error_starts(errors, tree, before, end)
            last = sum(start >= begin for start in starts)
            total += sum(before <= start < begin for start in starts)
            if last > _MAX_PIECE_ERRORS or total > 2 * _MAX_PIECE_ERRORS:
                return False
        before, begin = begin, end
    return True


def _piece_ends(length: int) -> Iterator[int]:
    end = 0
    while end < length:
        end = min(length, end + min(_PIECE_BYTES, max(_FIRST_PIECE_BYTES, end)))
        yield end


def _point(data: bytes, begin: int, at: Point) -> Point:
    """The row and column of the end of the data; `at` is that of `begin`."""
    rows = data.count(b"\n", begin)
    column = len(data) - data.rfind(b"\n", begin) - 1 if rows else at.column + len(data) - begin
    return Point(at.row + rows, column)


def _error_starts(errors: Query, tree: Tree, begin: int, end: int) -> list[int]:
    cursor = QueryCursor(errors)
    cursor.set_byte_range(begin, end)
    return [match["error"][0].start_byte for _, match in cursor.matches(tree.root_node)]


def _parse_with_limits(grammar: Grammar, data: bytes) -> tuple[Tree | None, str]:
    """Where a limit is exceeded, the rest is not read, which ends the parser's work."""
    steps = errors = 0
    max_steps = _MIN_STEPS + _MAX_STEPS_PER_BYTE * len(data)
    problem = ""

    def count(kind: LogType, message: str) -> None:  # noqa: ARG001
        nonlocal steps, errors
        steps += 1
        errors += message.startswith(("detect_error", "recover_with_missing"))

    def read(offset: int, point: Point) -> bytes:  # noqa: ARG001
        nonlocal problem
        if errors > MAX_ERRORS:
            problem = f"more than {MAX_ERRORS:,} places do not parse"
        elif steps > max_steps:
            problem = f"the parser takes more than {_MAX_STEPS_PER_BYTE} steps per byte"
        return b"" if problem else data[offset : offset + _READ_BYTES]

    parser = Parser(grammar, logger=count)
    tree = parser.parse(read)
    return (None if problem else tree), problem
