"""Python's calls follow names, never guesses."""

import pytest

from tests.unit.ingest.fakes import edges, parsed

STORE = """\
def connect(): ...
class Base:
    def close(self): ...
class Store(Base):
    def get(self): ...
    def put(self): ...
"""


def calls(text: str) -> list[tuple[str, str]]:
    """(who, what) of all calls in `pkg/a.py`, beside `pkg/store.py`."""
    found = edges({"pkg/a.py": text, "pkg/store.py": STORE}, "calls")
    return [
        (source.replace("pkg/a.py::", ""), target.replace("pkg/a.py::", ""))
        for source, _, target in found
        if source.startswith("pkg/a.py")
    ]


def unresolved_calls(text: str) -> int:
    return parsed("pkg/a.py", text).unresolved_calls


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("from pkg.store import connect\nconnect()", "pkg/store.py::connect"),
        ("from .store import connect as c\nc()", "pkg/store.py::connect"),
        ("import pkg.store\npkg.store.connect()", "pkg/store.py::connect"),
        ("import pkg.store as s\ns.Store.get()", "pkg/store.py::Store.get"),
        ("import pkg\npkg.store.connect()", "pkg/store.py::connect"),
        ("from pkg import store\nstore.Store()", "pkg/store.py::Store"),
        ("from . import store\nstore.connect()", "pkg/store.py::connect"),
        ("from pkg.store import *\nconnect()", "pkg/store.py::connect"),
        (
            "try:\n    import pkg.store as s\nexcept E:\n    s = None\ns.connect()",
            "pkg/store.py::connect",
        ),
        ("from pkg.store import connect\n@connect\ndef f(): ...", "pkg/store.py::connect"),
        (
            "if A:\n    from no import connect\nelse:\n    from .store import connect\nconnect()",
            "pkg/store.py::connect",
        ),
    ],
)
def test_a_call_follows_the_import_of_its_name(text: str, target: str) -> None:
    assert [found for _, found in calls(text)] == [target]


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("def f(s: Store): s.get()", "pkg/store.py::Store.get"),
        (
            "def f(s: 'Store | None'): ...\ndef g(s: Store | None): s.get()",
            "pkg/store.py::Store.get",
        ),
        ("s = Store()\ndef f(): s.get()", "pkg/store.py::Store.get"),
        ("def f(): Store().get()", "pkg/store.py::Store.get"),
        ("class A:\n    s: Store\n    def f(self): self.s.get()", "pkg/store.py::Store.get"),
        (
            "class A:\n def __init__(self, s: Store): self._t = s\n def f(me): me._t.get()",
            "pkg/store.py::Store.get",
        ),
        (
            "class A:\n def __init__(self): self.s = Store()\n def f(self): self.s.put()",
            "pkg/store.py::Store.put",
        ),
        ("class A(Store):\n    def f(self): self.get()", "pkg/store.py::Store.get"),
        ("class A(Store):\n    def get(self): super().get()", "pkg/store.py::Store.get"),
        (
            "class B(Store): ...\nclass A(B):\n    def f(self): self.get()",
            "pkg/store.py::Store.get",
        ),
    ],
)
def test_what_a_class_has_is_found_where_the_text_tells_the_class(body: str, target: str) -> None:
    assert target in [found for _, found in calls(f"from pkg.store import Store\n{body}\n")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(): ...\ndef g(): f()", [("g", "f")]),
        ("def g(): f()\ndef f(): ...", [("g", "f")]),
        ("def f():\n    def h(): ...\n    h()", [("f", "f.h")]),
        ("class A:\n    def m(self): self.n()\n    def n(self): ...", [("A.m", "A.n")]),
        (
            "class A:\n    @classmethod\n    def m(cls): cls.n()\n    def n(self): ...",
            [("A.m", "A.n")],
        ),
        ("class A:\n    def m(self): ...\nA.m()", [("pkg/a.py", "A.m")]),
        ("class A: ...\ndef f(): A()", [("f", "A")]),
        ("def f(): f()", []),
        ("class A:\n    def m(self): n()\n    def n(self): ...", []),
        ("class A:\n    @staticmethod\n    def m(self): self.n()\n    def n(self): ...", []),
        ("class A:\n def m(self): self.n()\n def n(self): ...\n def o(self): self.n = 1", []),
    ],
)
def test_a_call_finds_what_its_file_defines(text: str, found: list[tuple[str, str]]) -> None:
    assert calls(text) == found


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    "body",
    [
        "def f(connect): connect()",
        "def f(*connect): connect()",
        "def f():\n    connect = 1\n    connect()",
        "def f():\n    for connect in x: connect()",
        "def f():\n    with x as (connect, y): connect()",
        "def f():\n    (a, connect) = x\n    connect()",
        "def f():\n    connect()\n    connect = 1",
        "def f():\n    match x:\n        case [connect]: connect()",
        "f = lambda connect: connect()",
        "[connect() for connect in x]",
        "connect = 3\nconnect()",
        "def connect(): ...\nconnect()",
        "def f():\n    global connect\n    connect = 1\ndef g(): connect()",
        "def f():\n    if (connect := x): connect()",
    ],
)
def test_a_shadowed_name_is_never_resolved(body: str) -> None:
    text = f"from pkg.store import connect\n{body}\n"
    assert calls(text) == []
    assert unresolved_calls(text) == 1


def test_a_name_that_is_shadowed_elsewhere_is_resolved() -> None:
    text = "from pkg.store import connect\ndef f(connect): ...\ndef g(): connect()\n"
    assert calls(text) == [("g", "pkg/store.py::connect")]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("len(print())", 0),
        ("''.join(x)", 0),
        ("import os\nos.getcwd()", 0),
        ("x.y()", 1),
        ("x[0]()", 1),
        ("f()()", 2),
        ("def f(a): a.b().c()", 2),
        ("import numpy\nnumpy.zeros()", 0),
    ],
)
def test_unresolved_calls_are_counted_and_builtins_are_not(text: str, count: int) -> None:
    assert unresolved_calls(text) == count


def test_a_call_shows_the_characters_of_its_name_alone() -> None:
    text = "é = 1\nimport pkg.store\nx = pkg . store.connect(1, f(2))\n"
    found = [p for p in parsed("pkg/a.py", text).references if p.relation == "calls"]
    assert {(text[p.start : p.end], p.line, p.text) for p in found} == {
        ("pkg . store.connect", 3, "pkg.store.connect")
    }


def test_a_class_inherits_from_what_its_bases_name() -> None:
    text = (
        "import pkg.store as s\nclass A(s.Store, Generic[T], metaclass=M): ...\nclass B(A): ...\n"
    )
    assert edges({"pkg/a.py": text, "pkg/store.py": STORE}, "types") == [
        ("pkg/a.py::A", "inherits", "pkg/store.py::Store"),
        ("pkg/a.py::B", "inherits", "pkg/a.py::A"),
        ("pkg/store.py::Store", "inherits", "pkg/store.py::Base"),
    ]


def test_of_two_bases_the_first_with_the_method_is_the_target() -> None:
    files = {
        "a/x.py": "from b.y import Y\nfrom z.z import Z\nclass X(Z, Y):\n  def f(self): self.m()\n",
        "b/y.py": "class Y:\n    def m(self): ...\n",
        "z/z.py": "class Z:\n    def m(self): ...\n",
    }
    assert edges(files, "calls") == [("a/x.py::X.f", "calls", "z/z.py::Z.m")]
