"""Names become objects in wiring/plugins.py alone: no other module looks packages up."""

import ast
import re
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src" / "docgraph"
TABLE = SOURCE / "wiring" / "plugins.py"
ENTRY = re.compile(r"docgraph(?:\.\w+)+:\w+")
# The version of docgraph itself.
ASKS_FOR_A_VERSION = SOURCE / "wiring" / "doctor.py"


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    paths = sorted(SOURCE.rglob("*.py"))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


def test_only_the_table_looks_up_installed_packages() -> None:
    importing = {
        path: {alias.name for alias in part.names}
        for path, tree in modules()
        for part in ast.walk(tree)
        if isinstance(part, ast.ImportFrom) and part.module == "importlib.metadata"
    }
    assert importing.pop(ASKS_FOR_A_VERSION) == {"version"}
    assert set(importing) == {TABLE}


def test_only_the_table_imports_a_module_by_a_name_that_it_does_not_write_out() -> None:
    dynamic = {
        path
        for path, tree in modules()
        for part in ast.walk(tree)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name | ast.Attribute)
        and "import_module" in ast.unparse(part.func)
        and not isinstance(part.args[0], ast.Constant)
    }
    assert dynamic == {TABLE}


def test_only_the_table_names_objects_by_module() -> None:
    naming = {
        path
        for path, tree in modules()
        for part in ast.walk(tree)
        if isinstance(part, ast.Constant) and ENTRY.fullmatch(str(part.value))
    }
    assert naming == {TABLE}
