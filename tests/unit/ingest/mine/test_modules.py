"""Which files a module's name may mean."""

import pytest

from docgraph.ingest.mine.modules import Modules, module_parts
from tests.unit.ingest.fakes import corpus

PATHS = (
    *("app.py", "src/pkg/__init__.py", "src/pkg/a/__init__.py", "src/pkg/a/b.py", "tool/one.py"),
    *("tool/two.py", "vendor/pkg/a/b.py", "deep/single.py", "pkg.py", "libs/x/src/solo.py"),
)


def meant(importer: str, module: str, name: str = "") -> list[str]:
    found = corpus(dict.fromkeys(PATHS, ""))
    modules = Modules(found)
    told = modules.inside(found.by_path[importer], module, name)
    return [sketch.path for sketch, _ in sorted(told, key=lambda item: (item[1], item[0].path))]


@pytest.mark.parametrize(
    ("importer", "module", "files"),
    [
        ("app.py", "pkg.a.b", ["src/pkg/a/b.py", "vendor/pkg/a/b.py"]),
        ("vendor/pkg/a/b.py", "pkg.a.b", ["vendor/pkg/a/b.py", "src/pkg/a/b.py"]),
        ("app.py", "pkg", ["pkg.py", "src/pkg/__init__.py"]),
        ("tool/one.py", "two", ["tool/two.py"]),
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
def test_a_module_is_looked_for_in_likely_places(
    importer: str, module: str, files: list[str]
) -> None:
    assert meant(importer, module) == files


def test_a_submodule_is_looked_for_where_its_package_may_be() -> None:
    assert meant("app.py", "pkg", "a") == ["src/pkg/a/__init__.py"]
    assert meant("app.py", "pkg.a", "b") == ["src/pkg/a/b.py", "vendor/pkg/a/b.py"]
    assert meant("src/pkg/a/b.py", "..", "a") == ["src/pkg/a/__init__.py"]
    assert meant("tool/one.py", ".", "two") == ["tool/two.py"]


def test_a_package_goes_by_its_folder() -> None:
    assert module_parts("a/b/__init__.py") == ("a", "b")
    assert module_parts("a/b.py") == ("a", "b")
