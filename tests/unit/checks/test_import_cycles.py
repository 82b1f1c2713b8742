"""Modules that import each other are a cycle, however far apart."""

from pathlib import Path

import pytest

from checks.import_cycles import find_import_cycles


def _package(folder: Path, name: str, **modules: str) -> Path:
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text)
    return package


def test_imports_in_one_direction_are_no_cycle(tmp_path: Path) -> None:
    package = _package(tmp_path, "acyclic", a="import acyclic.b", b="import acyclic.c", c="")
    assert find_import_cycles(package) == ()


def test_a_cycle_through_a_third_module_and_a_late_import_is_one(tmp_path: Path) -> None:
    late = "def f():\n    import cyclic.a"
    package = _package(tmp_path, "cyclic", a="import cyclic.b", b="import cyclic.c", c=late, d="")
    assert find_import_cycles(package) == (("cyclic.a", "cyclic.b", "cyclic.c"),)


def test_an_import_for_type_checkers_alone_makes_no_cycle(tmp_path: Path) -> None:
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import typed_only.a"
    package = _package(tmp_path, "typed_only", a="import typed_only.b", b=typed)
    assert find_import_cycles(package) == ()


def test_the_search_path_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ["/nowhere"]
    monkeypatch.setattr("sys.path", path)
    find_import_cycles(_package(tmp_path, "untouched", a=""))
    assert path == ["/nowhere"]
