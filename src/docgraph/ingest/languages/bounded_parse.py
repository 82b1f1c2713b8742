"""Parses code with tree-sitter within limits that count the parser's work, and no time.

Tree-sitter's time grows with the square of a file and more where text is no code: the lexer reads
the same bytes again and again, an error costs as much as the parser's stack or all that was skipped
before, two readings of a text that stay possible are compared at every token, and readings that are
merged undecided are compared at the end, each with all that follows. So the parser gets its text in
blocks. Each read of one is counted; between some reads, the parser logs its steps: the more often,
the more errors and readings there are. Ordinary code takes a fifth of each limit at most. At a
limit the text ends.
"""

import math
import re

import numpy as np
from tree_sitter import Language as Grammar
from tree_sitter import LogType, Node, Parser, Point, Tree

MAX_DEPTH = 1_000  # of brackets, also of `<` without its `>` in one statement
MAX_READS_PER_BYTE = 0.5  # of a block
MAX_STEPS_PER_BYTE = 2.5  # of those that are logged
MAX_RECOVERIES = 600  # from errors, of those that are logged
MAX_COMPARISONS = 100  # of two readings of the same text, of those that are logged
MAX_AMBIGUITY_PER_BYTE = 0.004
MAX_MARKS = 1_000  # in a row in one node, without a name or value between them
_MIN_READS = 2_000
_MIN_STEPS = 5_000
_MIN_AMBIGUITY = 40
_BLOCK_BYTES = 64
_READS_BETWEEN_LOGS = 8  # where the last log shows an error or several readings
_FIRST_LOG = 64  # counted in reads
_MAX_READS_BETWEEN_LOGS = 256
_LOGGED_STEPS = 64  # at least, each time
_MANY_MERGES = 3  # in one log
_BRACKET = re.compile(rb"[<>;{}]")
_OPENING = (b"(", b"[", b"{")
_DEPTHS = np.zeros(256, dtype=np.int8)
_DEPTHS[list(b"([{")] = 1
_DEPTHS[list(b")]}")] = -1
# The beginning of a message about a step with a single stack; state 0 is that of an error.
_UNAMBIGUOUS = "process version:0, version_count:1, state:"
_IN_ERROR = f"{_UNAMBIGUOUS}0,"
_STEP = re.compile(r"process version:[0-9]+, version_count:([0-9]+)")
_REMOVAL = "removed"
_RECOVERY = "recover_to_previous"
_COMPARISON = "select_"


def parse(grammar: Grammar, data: bytes, max_merges: float = math.inf) -> tuple[Tree, str]:
    """The tree, and why it is that of an empty file.

    `max_merges` are of readings that nothing has decided between yet, of those that are logged.
    """
    problem = _find_depth_problem(data)
    if not problem:
        work = _CountedParse(grammar, data, max_merges)
        tree = work.parser.parse(work.read)
        del work.parser.logger  # else the two would refer to each other for ever
        problem = work.problem or _find_marks_problem(tree.root_node)
        if not problem:
            return tree, ""
    return Parser(grammar).parse(b""), problem


def _find_depth_problem(data: bytes) -> str:
    if _bracket_depth(data) > MAX_DEPTH or _angle_depth(data) > MAX_DEPTH:
        return f"brackets are nested more than {MAX_DEPTH:,} deep"
    return ""


def _bracket_depth(data: bytes) -> int:
    """A closing bracket without its opening one counts as nothing."""
    if (most := sum(map(data.count, _OPENING))) <= MAX_DEPTH:
        return most
    sums = np.cumsum(_DEPTHS[np.frombuffer(data, dtype=np.uint8)], dtype=np.int32)
    unopened = np.minimum(np.minimum.accumulate(sums), 0)
    return int((sums - unopened).max())


def _angle_depth(data: bytes) -> int:
    """Of `<` without its `>`, in one statement."""
    if (most := data.count(b"<")) <= MAX_DEPTH:
        return most
    deepest = depth = 0
    for match in _BRACKET.finditer(data):
        mark = match[0]
        if mark == b"<":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth = max(0, depth - 1) if mark == b">" else 0
    return deepest


def _find_marks_problem(root: Node) -> str:
    """With each of such marks, a query looks through all that follow it."""
    pending = [root]
    while pending:
        marks = 0
        for child in pending.pop().children:
            marks = 0 if child.is_named else marks + 1
            if marks > MAX_MARKS:
                return f"it has more than {MAX_MARKS:,} marks in a row"
            if child.descendant_count > MAX_MARKS:
                pending.append(child)
    return ""


class _CountedParse:
    """Gives the parser its text, and counts its work.

    `_ambiguous` is how many logs in a row show no step with a single stack; `_ambiguity` sums
    that up, since the time of a step grows with it. `_merges` are readings that became one without
    being removed, less those that were compared.
    """

    def __init__(self, grammar: Grammar, data: bytes, max_merges: float) -> None:
        self.parser = Parser(grammar)
        self.problem = ""
        self._data = data
        self._max_reads = _MIN_READS + MAX_READS_PER_BYTE * len(data)
        self._max_steps = _MIN_STEPS + MAX_STEPS_PER_BYTE * len(data)
        self._max_merges = max_merges
        self._max_ambiguity = _MIN_AMBIGUITY + MAX_AMBIGUITY_PER_BYTE * len(data)
        self._reads = self._steps = self._recoveries = self._comparisons = 0
        self._ambiguity = self._ambiguous = 0
        self._merges = self._merged_before = self._readings = 0
        self._logging = self._has_problems = False
        self._gap = self._next_log = _FIRST_LOG
        self._log_end = 0  # counted in steps

    def read(self, offset: int, point: Point) -> bytes:  # noqa: ARG002
        """No block ends inside a character: tree-sitter crashes where the rest is missing."""
        self._reads += 1
        if self._logging and self._steps >= self._log_end:
            self._stop_logging()
        elif not self._logging and self._reads >= self._next_log:
            self._logging, self._log_end = True, self._steps + _LOGGED_STEPS
            self._merged_before, self._readings = self._merges, 0
            self.parser.logger = self._log
        self.problem = self.problem or self._find_problem()
        if self.problem:
            return b""
        data, end = self._data, offset + _BLOCK_BYTES
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end += 1
        return data[offset:end]

    def _log(self, kind: LogType, message: str) -> None:
        if kind is LogType.LEX:  # one for every character
            return
        self._steps += 1
        if step := _STEP.match(message):
            readings = int(step[1])
            self._merges += max(0, self._readings - readings)
            self._readings = readings
        if message.startswith(_UNAMBIGUOUS):
            self._ambiguous = self._ambiguous if message.startswith(_IN_ERROR) else 0
        elif message.startswith(_RECOVERY):
            self._recoveries += 1
            self._has_problems = True
        elif message.startswith(_COMPARISON):
            self._comparisons += 1
            self._merges = max(0, self._merges - 1)
            self._has_problems = True
        elif message.startswith(_REMOVAL):
            self._readings -= 1

    def _stop_logging(self) -> None:
        """A log takes longer than the parsing that it is of."""
        del self.parser.logger
        many_merges = self._merges - self._merged_before >= _MANY_MERGES
        is_plain = not self._ambiguous and not self._has_problems and not many_merges
        self._gap = min(2 * self._gap, _MAX_READS_BETWEEN_LOGS) if is_plain else _READS_BETWEEN_LOGS
        self._logging, self._next_log = False, self._reads + self._gap
        self._has_problems = False
        self._ambiguity += self._ambiguous
        self._ambiguous += 1

    def _find_problem(self) -> str:
        if self._reads > self._max_reads:
            return "the parser reads the same text too often"
        if self._steps > self._max_steps:
            return "the parser takes too many steps"
        if self._recoveries > MAX_RECOVERIES:
            return "too many places do not parse"
        ambiguous = self._comparisons > MAX_COMPARISONS or self._ambiguity > self._max_ambiguity
        if ambiguous or self._merges > self._max_merges:
            return "too much of it is ambiguous"
        return ""
