"""Python files are read as far as they parse, with exact spans; calls follow names, never guesses."""

import pytest

from docgraph.ingest.parse.code.python_modules import module_name
from docgraph.ingest.parsed import Parsed
from tests.unit.ingest.fakes import edges, parsed

CODE = '''\
#!/usr/bin/env python
"""Über the module.

More."""
import os

@decorated(1)
async def fetch(url: str = "#",
                *, retries=3) -> bytes:  # why
    """Gets it."""
    def inner(): ...

class Store(Base, metaclass=M):
    # first
    """Keeps."""

    @property
    def size(self): ...

    @size.setter
    def size(self, value): ...

if os.name:
    def fetch(url): ...
'''

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


def opaque(text: str) -> int:
    return parsed("pkg/a.py", text).opaque


def test_symbols_nest_and_repeated_names_are_counted() -> None:
    found = parsed("a.py", CODE)
    assert [(p.kind, p.name, p.parent) for p in found.parts] == [
        ("function", "fetch", None),
        ("function", "fetch.inner", 0),
        ("class", "Store", None),
        ("method", "Store.size", 2),
        ("method", "Store.size~2", 2),
        ("function", "fetch~2", None),
    ]


def test_a_symbol_begins_with_its_decorators_and_ends_with_its_body() -> None:
    found = parsed("a.py", CODE)
    first = CODE[found.parts[0].start : found.parts[0].end]
    assert first.startswith("@decorated(1)\nasync def fetch")
    assert first.endswith("def inner(): ...")


def test_signatures_and_docstrings_are_read() -> None:
    found = parsed("a.py", CODE)
    assert found.lead == "Über the module.\n\nMore."
    assert found.parts[0].signature == 'async def fetch(url: str = "#", *, retries=3) -> bytes'
    assert [part.lead for part in found.parts[:3]] == ["Gets it.", "", "Keeps."]
    assert found.parts[2].signature == "class Store(Base, metaclass=M)"


def test_prose_is_what_comments_and_docstrings_say() -> None:
    found = parsed("a.py", CODE)
    assert said(found) == [
        '#!/usr/bin/env python\n"""Über the module.\n\nMore."""',
        '# why\n    """Gets it."""',
        '# first\n    """Keeps."""',
    ]


def said(found: Parsed) -> list[str]:
    return [found.text[start:end] for start, end in found.prose or ()]


def test_a_file_with_errors_is_read_as_far_as_it_parses() -> None:
    found = parsed("a.py", "def good(): ...\n\nclass (:\n\ndef also(): ...\n")
    assert {"good", "also"} <= {part.name for part in found.parts}
    assert found.remarks == ("line 3: does not parse; the rest was read",)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/docgraph/engine.py", "docgraph.engine"),
        ("packages/a/src/pkg/__init__.py", "pkg"),
        ("docgraph/engine.py", "docgraph.engine"),
        ("my-scripts/run.py", "run"),
        ("src/x-y.py", "x-y.py"),
        ("__init__.py", "__init__.py"),
        ("setup.py", "setup"),
    ],
)
def test_a_module_goes_by_its_dotted_name(path: str, name: str) -> None:
    assert module_name(path) == name


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
        ("try:\n    import pkg.store as s\nexcept E:\n    s = None\ns.connect()", "pkg/store.py::connect"),
        ("from pkg.store import connect\n@connect\ndef f(): ...", "pkg/store.py::connect"),
        ("if A:\n    from gone import connect\nelse:\n    from pkg.store import connect\nconnect()", "pkg/store.py::connect"),
    ],
)  # fmt: skip
def test_a_call_follows_the_import_of_its_name(text: str, target: str) -> None:
    assert [found for _, found in calls(text)] == [target]


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("def f(s: Store): s.get()", "pkg/store.py::Store.get"),
        ("def f(s: 'Store | None'): ...\ndef g(s: Store | None): s.get()", "pkg/store.py::Store.get"),
        ("s = Store()\ndef f(): s.get()", "pkg/store.py::Store.get"),
        ("def f(): Store().get()", "pkg/store.py::Store.get"),
        ("class A:\n    s: Store\n    def f(self): self.s.get()", "pkg/store.py::Store.get"),
        ("class A:\n    def __init__(self, s: Store): self.s = s\n    def f(me): me.s.get()", "pkg/store.py::Store.get"),
        ("class A:\n    def __init__(self): self.s = Store()\n    def f(self): self.s.put()", "pkg/store.py::Store.put"),
        ("class A(Store):\n    def f(self): self.get()", "pkg/store.py::Store.get"),
        ("class A(Store):\n    def get(self): super().get()", "pkg/store.py::Store.get"),
        ("class B(Store): ...\nclass A(B):\n    def f(self): self.get()", "pkg/store.py::Store.get"),
    ],
)  # fmt: skip
def test_what_a_class_has_is_found_where_the_text_tells_the_class(body: str, target: str) -> None:
    assert target in [found for _, found in calls(f"from pkg.store import Store\n{body}\n")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(): ...\ndef g(): f()", [("g", "f")]),
        ("def g(): f()\ndef f(): ...", [("g", "f")]),
        ("def f():\n    def h(): ...\n    h()", [("f", "f.h")]),
        ("class A:\n    def m(self): self.n()\n    def n(self): ...", [("A.m", "A.n")]),
        ("class A:\n    @classmethod\n    def m(cls): cls.n()\n    def n(self): ...", [("A.m", "A.n")]),
        ("class A:\n    def m(self): ...\nA.m()", [("pkg/a.py", "A.m")]),
        ("class A: ...\ndef f(): A()", [("f", "A")]),
        ("def f(): f()", []),
        ("class A:\n    def m(self): n()\n    def n(self): ...", []),
        ("class A:\n    @staticmethod\n    def m(self): self.n()\n    def n(self): ...", []),
        ("class A:\n    def m(self): self.n()\n    def n(self): ...\n    def o(self): self.n = 1", []),
    ],
)  # fmt: skip
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
    assert opaque(text) == 1


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
def test_calls_that_lead_nowhere_are_counted_and_python_itself_is_not(
    text: str, count: int
) -> None:
    assert opaque(text) == count


def test_a_call_shows_the_characters_of_its_name_alone() -> None:
    text = "é = 1\nimport pkg.store\nx = pkg . store.connect(1, f(2))\n"
    found = [p for p in parsed("pkg/a.py", text).pointers if p.relation == "calls"]
    assert {(text[p.start : p.end], p.line, p.says) for p in found} == {
        ("pkg . store.connect", 3, "pkg.store.connect")
    }


def test_a_class_inherits_from_what_its_bases_name() -> None:
    text = "import pkg.store as s\nclass A(s.Store, Generic[T], metaclass=M): ...\nclass B(A): ...\n"
    assert edges({"pkg/a.py": text, "pkg/store.py": STORE}, "types") == [
        ("pkg/a.py::A", "inherits", "pkg/store.py::Store"),
        ("pkg/a.py::B", "inherits", "pkg/a.py::A"),
        ("pkg/store.py::Store", "inherits", "pkg/store.py::Base"),
    ]


def test_of_two_bases_the_first_that_has_a_method_is_meant() -> None:
    files = {
        "a/x.py": "from b.y import Y\nfrom z.z import Z\nclass X(Z, Y):\n    def f(self): self.m()\n",
        "b/y.py": "class Y:\n    def m(self): ...\n",
        "z/z.py": "class Z:\n    def m(self): ...\n",
    }
    assert edges(files, "calls") == [("a/x.py::X.f", "calls", "z/z.py::Z.m")]
