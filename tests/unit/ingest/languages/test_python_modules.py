"""By which keys a module goes."""

import pytest

from docgraph.ingest.languages.python_imports import module_keys


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("a/b/c.py", ["pyfile:a/b/c", "py:b.c", "py:a.b.c", "pyroot:a.b.c"]),
        ("a/b/__init__.py", ["pyfile:a/b", "py:a.b", "pyroot:a.b"]),
        (
            "x/src/one.py",
            ["pyfile:x/src/one", "pyroot:one", "py:src.one", "py:x.src.one", "pyroot:x.src.one"],
        ),
        ("one.py", ["pyfile:one", "pyroot:one"]),
        ("lib/python3.11/pkg/x.py", ["pyfile:lib/python3.11/pkg/x", "py:pkg.x"]),
        ("x-y.py", ["pyfile:x-y"]),
        ("__init__.py", ["pyfile:"]),
    ],
)
def test_a_module_has_every_end_of_its_path_as_a_key(path: str, keys: list[str]) -> None:
    assert [key for key, _ in module_keys(path)] == keys


def test_a_package_ranks_before_a_module() -> None:
    assert {rank for _, rank in module_keys("a/__init__.py")} == {0}
    assert {rank for _, rank in module_keys("a.py")} == {1}
