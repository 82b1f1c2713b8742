"""Modules that import each other, directly or through others.

Late imports count; imports for type checkers alone do not, since they never run.
"""

import sys
from pathlib import Path

import grimp


def find_import_cycles(package: Path) -> tuple[tuple[str, ...], ...]:
    """The strongly connected components of more than one module."""
    graph = _build_graph(package)
    imported = {module: graph.find_upstream_modules(module) for module in graph.modules}
    components = {
        frozenset({module, *(other for other in others if module in imported[other])})
        for module, others in imported.items()
    }
    return tuple(sorted(tuple(sorted(one)) for one in components if len(one) > 1))


def _build_graph(package: Path) -> grimp.ImportGraph:
    """Of the package in this folder, not of one that is installed under the same name."""
    folder = str(package.parent)
    sys.path.insert(0, folder)
    try:
        return grimp.build_graph(package.name, exclude_type_checking_imports=True, cache_dir=None)
    finally:
        sys.path.remove(folder)
