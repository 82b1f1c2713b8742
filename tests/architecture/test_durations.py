"""No test asserts a duration: it would measure the load of the machine that runs it.

Growth of processor time (`tests/support/growth.py`), counts of operations and the order of events
do not depend on it. A wait that turns a hang into a failure is long.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FILES = sorted({*TESTS.rglob("*.py")} - {*TESTS.glob("golden/corpus/**/*.py")})
CLOCKS = frozenset(
    f"{name}{unit}"
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
)
MIN_WAIT_SECONDS = 30
WAITS = frozenset({"acquire", "communicate", "join", "result", "wait", "wait_for"})


def is_clock(node: ast.AST) -> bool:
    """`time.monotonic()`, or `monotonic()` imported by its name."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):
        return (
            isinstance(called.value, ast.Name)
            and called.value.id == "time"
            and called.attr in CLOCKS
        )
    return isinstance(called, ast.Name) and called.id in CLOCKS - {"time"}


class Durations:
    """Which names and functions of a module are times of a clock, and which are durations."""

    def __init__(self, tree: ast.Module) -> None:
        self.clocks: set[str] = set()
        self.durations: set[str] = set()
        before = -1
        while before != len(self.clocks) + len(self.durations):
            before = len(self.clocks) + len(self.durations)
            for node in ast.walk(tree):
                self._assign(node)

    def is_duration(self, node: ast.AST) -> bool:
        """A difference of clocks, also inside a larger expression; a quotient of two is none."""
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div) and self.is_duration(node.right):
                return False
            if isinstance(node.op, ast.Sub) and self.is_time(node.left):
                return self.is_time(node.right)
        if isinstance(node, ast.Name):
            return node.id in self.durations
        return any(map(self.is_duration, ast.iter_child_nodes(node)))

    def is_time(self, node: ast.AST) -> bool:
        return is_clock(node) or (isinstance(node, ast.Name) and node.id in self.clocks)

    def _assign(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._note(name, value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for target, value in zip(names, values, strict=False):
                    self._note(ast.unparse(target), value)
            case (
                ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.AugAssign(target=ast.Name(id=name), value=value)
            ):
                self._note(name, value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]):
                self._note(name, value)
            case ast.FunctionDef(name=name):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        self._note(name, inner.value)
            case _:
                pass

    def _note(self, name: str, value: ast.expr) -> None:
        if self.is_time(value):
            self.clocks.add(name)
        if self.is_duration(value):
            self.durations.add(name)


def asserted_durations(tree: ast.Module) -> Iterator[int]:
    """Lines of assertions that compare a duration with something that is none."""
    known = Durations(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            for compared in ast.walk(node.test):
                if isinstance(compared, ast.Compare):
                    sides = [known.is_duration(s) for s in (compared.left, *compared.comparators)]
                    if any(sides) and not all(sides):
                        yield node.lineno


def short_waits(tree: ast.Module) -> Iterator[int]:
    """Lines that fail if something takes a few seconds: deadlines, and limits in assertions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left = node.left
            named_time = isinstance(left, ast.Call) and ast.unparse(left.func) == "time.time"
            if is_clock(left) and not named_time and is_short(node.right):
                yield node.lineno
        if isinstance(node, ast.Assert):
            for call in ast.walk(node.test):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    limits = [
                        *call.args,
                        *(one.value for one in call.keywords if one.arg == "timeout"),
                    ]
                    if call.func.attr in WAITS and any(map(is_short, limits)):
                        yield node.lineno


def is_short(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (
        type(node.value) in (int, float) and 0 < float(str(node.value)) < MIN_WAIT_SECONDS
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_no_test_asserts_a_duration(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(asserted_durations(tree)) == []
    assert list(short_waits(tree)) == []


SECONDS = "def seconds(n):\n    began = time.time()\n    return time.time() - began\n"
RATIO = f"{SECONDS}def ratio(a, b):\n    return seconds(a) / seconds(b)\n"


@pytest.mark.parametrize(
    "text",
    [
        "began = time.monotonic()\nassert time.monotonic() - began < 5",
        "began = time.process_time()\ntook = time.process_time() - began\nassert took < LIMIT",
        "began = perf_counter()\nassert 5 > (perf_counter() - began) * 1000",
        "began = time.time()\nif True:\n    assert ok and time.time() - began <= 1, 'slow'",
        "took = []\nbegan = time.time()\ntook.append(time.time() - began)\nassert min(took) < 1",
        f"{SECONDS}assert seconds(1) < 2",
        "began, place = time.time(), 1\nassert time.time() - began < 2",
        "began = time.time_ns()\nassert 0 < time.time_ns() - began < 10**9",
    ],
)
def test_an_asserted_duration_is_found(text: str) -> None:
    assert list(asserted_durations(ast.parse(text))) == [len(text.splitlines())]


@pytest.mark.parametrize(
    "text",
    [
        "until = time.monotonic() + 60\nassert time.monotonic() < until",
        f"{SECONDS}assert seconds(8) < 50 * seconds(1)",
        f"{RATIO}assert ratio(8, 1) < 3",
        "now = time.time()\nyesterday = now - 86400\nassert yesterday < 5",
        "sent, killed = time.monotonic(), time.monotonic()\nassert sent <= killed",
        "assert event.wait(60)",
        "date = formatdate(time.time() + 20)",
    ],
)
def test_ratios_order_and_long_waits_are_allowed(text: str) -> None:
    tree = ast.parse(text)
    assert [*asserted_durations(tree), *short_waits(tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "until = time.monotonic() + 3",
        "assert event.wait(5)",
        "assert gate.acquire(timeout=5)",
        "assert future.result(10) == 7",
        "assert process.wait(timeout=20) == 0",
    ],
)
def test_a_short_wait_is_found(text: str) -> None:
    assert list(short_waits(ast.parse(text))) == [1]
