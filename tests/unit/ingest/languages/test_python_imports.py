"""Import statements name modules, and things inside modules; none is guessed."""

import pytest

from tests.unit.ingest.fakes import edges, parsed, ranked, unresolved

STORE = "class Store: ...\nLIMIT = 1\n"
PATHS = (
    *("app.py", "src/pkg/__init__.py", "src/pkg/a/__init__.py", "src/pkg/a/b.py", "tool/one.py"),
    *("tool/two.py", "vendor/pkg/a/b.py", "deep/single.py", "pkg.py", "libs/x/src/solo.py"),
)


def imports(files: dict[str, str]) -> list[tuple[str, str]]:
    return [(source, target) for source, _, target in edges(files, "imports")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b as c, d", ["a.b", "d"]),
        ("from a.b import c as d", ["a.b", "a.b:c"]),
        ("from . import x", [".", ".:x"]),
        ("from ..a import (x,\n  y)", ["..a", "..a:x", "..a:y"]),
        ("from a import *", ["a"]),
        ("from __future__ import annotations", []),
        ("def f():\n    import a", ["a"]),
        ("'import a'  # import b", []),
        ("import os\nfrom typing import Any", ["os", "typing"]),
    ],
)
def test_an_import_names_modules_and_names(text: str, expected: list[str]) -> None:
    found = parsed("x/y/m.py", text).references
    assert list(dict.fromkeys(p.text for p in found)) == expected
    assert {p.suffix for p in found} <= {""}


def test_each_name_has_its_own_position() -> None:
    text = "é = 1\nfrom a.b import (c,\n    d)\n"
    found = dict.fromkeys((text[p.start : p.end], p.line) for p in parsed("m.py", text).references)
    assert list(found) == [("a.b", 2), ("c", 2), ("d", 3)]


@pytest.mark.parametrize(
    ("importer", "module", "files"),
    [
        ("app.py", "pkg.a.b", ["src/pkg/a/b.py", "vendor/pkg/a/b.py"]),
        ("tool/one.py", "two", ["tool/two.py"]),
        ("app.py", "pkg", ["pkg.py", "src/pkg/__init__.py"]),
        ("app.py", "two", []),
        ("app.py", "single", []),
        ("app.py", "solo", ["libs/x/src/solo.py"]),
        ("src/pkg/a/b.py", ".", ["src/pkg/a/__init__.py"]),
        ("src/pkg/a/b.py", "..a", ["src/pkg/a/__init__.py"]),
        ("src/pkg/a/b.py", "..", ["src/pkg/__init__.py"]),
        ("src/pkg/a/__init__.py", ".b", ["src/pkg/a/b.py"]),
        ("app.py", "..x", []),
    ],
)
def test_a_module_is_looked_for_in_likely_folders(
    importer: str, module: str, files: list[str]
) -> None:
    text = f"from {module} import *" if module.startswith(".") else f"import {module}"
    assert ranked({**dict.fromkeys(PATHS, ""), importer: text}, "imports") == files


@pytest.mark.parametrize(
    ("importer", "text", "files"),
    [
        ("app.py", "from pkg import a", ["src/pkg/a/__init__.py"]),
        ("app.py", "from pkg.a import b", ["src/pkg/a/b.py", "vendor/pkg/a/b.py"]),
        ("src/pkg/a/b.py", "from .. import a", ["src/pkg/a/__init__.py"]),
        ("tool/one.py", "from . import two", ["tool/two.py"]),
    ],
)
def test_a_submodule_is_looked_for_where_its_package_may_be(
    importer: str, text: str, files: list[str]
) -> None:
    paths = [path for path in PATHS if path not in {"pkg.py", "src/pkg/__init__.py"}]
    found = ranked({**dict.fromkeys(paths, ""), importer: text}, "imports")
    assert [path for path in found if path in files] == files


def test_a_far_package_is_not_taken_for_one_of_python_itself() -> None:
    far = {"x/distutils/log.py": "def info(): ...\n", "x/distutils/__init__.py": ""}
    files = {**far, "a.py": "from distutils import log\nimport distutils.log\nlog.info()\n"}
    assert edges(files) == []


def test_an_import_refers_to_the_module_and_to_the_symbol_it_names() -> None:
    files = {"a.py": "from pkg.store import Store, LIMIT\n", "pkg/store.py": STORE}
    assert imports(files) == [("a.py", "pkg/store.py"), ("a.py", "pkg/store.py::Store")]


def test_a_submodule_may_be_imported_by_name() -> None:
    files = {"pkg/a.py": "from . import b\n", "pkg/__init__.py": "", "pkg/b.py": ""}
    assert imports(files) == [("pkg/a.py", "pkg/__init__.py"), ("pkg/a.py", "pkg/b.py")]


def test_what_a_package_defines_comes_before_a_file_of_that_name() -> None:
    files = {"a.py": "from p import b", "p/__init__.py": "def b(): ...", "p/b.py": ""}
    assert imports(files) == [("a.py", "p/__init__.py"), ("a.py", "p/__init__.py::b")]


def test_of_two_modules_with_one_name_the_nearer_is_the_target() -> None:
    files = {"x/a.py": "import p.q", "x/p/q.py": "", "y/p/q.py": ""}
    assert ranked(files, "imports") == ["x/p/q.py", "y/p/q.py"]
    assert imports(files) == [("x/a.py", "x/p/q.py")]


def test_unknown_modules_are_unresolved_and_the_standard_library_is_not() -> None:
    files = {"a.py": "import os.path\nimport numpy as np\nfrom .gone import x, y\n"}
    found = [(line, what) for _, line, what in unresolved(files, "imports")]
    assert found == [(2, "imports numpy"), (3, "imports .gone")]


def test_a_package_without_a_file_of_its_own_is_resolved_by_what_is_in_it() -> None:
    files = {"a.py": "from pkg import b\n", "pkg/b.py": ""}
    assert imports(files) == [("a.py", "pkg/b.py")]
    assert unresolved(files, "imports") == []


def test_no_module_imports_itself() -> None:
    assert imports({"p/__init__.py": "from . import x\nfrom p import y\n"}) == []
