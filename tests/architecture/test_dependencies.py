"""Imports of the code, dependencies in pyproject.toml and the lock files agree."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
LOOKUPS = ("files", "find_spec", "import_module")
LOCKS = ("requirements.lock", "requirements-dev.lock")
TESTING = ROOT / "src" / "docgraph" / "testing"
BUILD_LOCK = "requirements-build.lock"


def imported_modules(file: Path) -> Iterator[str]:
    """Modules named in import statements, and as text in calls that look a module up."""
    for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match part:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(name)):
                yield name
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called),
                args=[ast.Constant(value=str(name)), *_],
            ) if called in LOOKUPS:
                yield name


def code() -> Iterator[Path]:
    """All that users install, with the examples, for which docgraph has extras."""
    for folder in (ROOT / "src", *(ROOT / "examples").glob("*/src")):
        yield from folder.rglob("*.py")


def imported_libraries() -> set[str]:
    modules = {module for file in code() for module in imported_modules(file)}
    ours = sys.stdlib_module_names | {"docgraph"}
    known = packages_distributions()
    found = {
        distribution_of(module, set(known[module.partition(".")[0]]))
        for module in modules
        if module.partition(".")[0] not in ours
    }
    return {canonicalize_name(name) for name in found}


def distribution_of(module: str, names: set[str]) -> str:
    """The distribution that a module comes from: several may share the first word of its name."""
    if len(names) == 1:
        return names.pop()
    place = module.replace(".", "/")
    files = (f"{place}.py", f"{place}/__init__.py")
    return next(
        name
        for name in sorted(names)
        if any(str(f) in files for f in distribution(name).files or ())
    )


def declared_dependencies(*, extras: bool = True) -> tuple[Requirement, ...]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [r for extra in project["optional-dependencies"].values() for r in extra]
    declared = map(Requirement, [*project["dependencies"], *(optional if extras else ())])
    return tuple(found for found in declared if found.name != "docgraph")


def locked_versions(lock: str) -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def test_suites_for_plug_in_authors_need_pytest_and_nothing_else() -> None:
    modules = {module for file in TESTING.rglob("*.py") for module in imported_modules(file)}
    known = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
    assert known == {"docgraph", "numpy", "pytest"}


def test_every_imported_library_is_declared_and_every_declared_one_is_imported() -> None:
    assert imported_libraries() == {canonicalize_name(d.name) for d in declared_dependencies()}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_satisfies_the_declared_versions(lock: str) -> None:
    pins = locked_versions(lock)
    for dependency in declared_dependencies(extras="dev" in lock):
        assert dependency.specifier.contains(pins[canonicalize_name(dependency.name)])


@pytest.mark.parametrize("lock", ["requirements.lock", BUILD_LOCK])
def test_developers_and_users_get_the_same_versions(lock: str) -> None:
    assert locked_versions(lock).items() <= locked_versions("requirements-dev.lock").items()


def test_docgraph_is_built_with_the_backend_that_it_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["build-system"]["requires"] == project["dependency-groups"]["build"]
    (backend,) = map(Requirement, project["build-system"]["requires"])
    assert backend.specifier.contains(locked_versions(BUILD_LOCK)[backend.name])


@pytest.mark.parametrize("lock", [*LOCKS, BUILD_LOCK])
def test_a_lock_has_versions_and_hashes_but_no_index_address(lock: str) -> None:
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        pin = r"[\w.-]+==[\w.]+( ; [^/]+)? \\"
        assert re.fullmatch(rf"{pin}|    --hash=sha256:[0-9a-f]{{64}}( \\)?", line)
