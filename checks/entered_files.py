"""The files of docgraph that one `docgraph context QUESTION` passes through.

Three small documents are ingested into a new SQLite file, then the command runs in a process of its
own, through the entry point of `pyproject.toml`. A file is entered when the body of one of its
functions runs, in any thread. What runs while modules are imported does not count.

A file of `docgraph.model` is entered only when a function of it decides something: properties,
constructors (`__init__`, `__new__`, `__post_init__`) and what `dataclass` generates do not count.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_DOCUMENTS = {
    "billing.md": "# Billing\nBilling calls [payments](payments.md) for every invoice.\n",
    "payments.md": "# Payments\nPayments are retried, see `retry_limit` in retry.py.\n",
    "retry.py": '"""Retries."""\n\n\ndef retry_limit() -> int:\n    return 3\n',
}
_QUESTION = "How often are Payments retried, and what is retry_limit?"
_STORE = ("--store", "store.db")
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_PROPERTIES = frozenset({"property", "cached_property"})

Calls = frozenset[tuple[Path, str]]


def profile_question(package: Path, entry: str) -> tuple[Path, ...]:
    with tempfile.TemporaryDirectory() as scratch:
        _profile_ingest(package, entry, Path(scratch), "--quiet")
        question = ("context", _QUESTION, *_STORE)
        return select_entered_files(
            package, profile_command(package, entry, question, Path(scratch))
        )


def profile_ingest(package: Path, entry: str) -> tuple[Path, ...]:
    """The files that an ingest of the same documents into a new store passes through."""
    with tempfile.TemporaryDirectory() as scratch:
        return select_entered_files(package, _profile_ingest(package, entry, Path(scratch)))


def _profile_ingest(package: Path, entry: str, folder: Path, *options: str) -> Calls:
    (folder / "documents").mkdir()
    for name, text in _DOCUMENTS.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return profile_command(package, entry, ("ingest", "documents", *_STORE, *options), folder)


def profile_command(package: Path, entry: str, arguments: Sequence[str], folder: Path) -> Calls:
    """Run it in `folder`; the functions of the package that it called, files below the package."""
    output = folder / "calls.jsonl"
    output.unlink(missing_ok=True)
    command = ("-m", "checks.profile_command", str(package), str(output), entry, *arguments)
    subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=_environment(package, folder),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    lines = output.read_text(encoding="utf-8").splitlines()
    calls = (json.loads(line) for line in lines)
    return frozenset((Path(file).relative_to(package), name) for file, name in calls)


def select_entered_files(package: Path, calls: Calls) -> tuple[Path, ...]:
    values = {
        (path, name)
        for path in {path for path, _ in calls if path.parts[0] == "model"}
        for name in _value_functions(ast.parse((package / path).read_text(encoding="utf-8")))
    }
    # What is nested in a function, such as a generator, runs for that function.
    outermost = {(path, name.partition(".<locals>")[0]) for path, name in calls}
    return tuple(sorted({path for path, _ in outermost - values}))


def _value_functions(tree: ast.Module) -> Iterator[str]:
    """Qualified names of the properties and constructors of a module's classes."""
    for owner in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and _is_value_function(node):
                yield f"{owner.name}.{node.name}"


def _is_value_function(function: ast.FunctionDef) -> bool:
    decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
    return function.name in _CONSTRUCTORS or bool(decorators & _PROPERTIES)


def _environment(package: Path, folder: Path) -> dict[str, str]:
    """This package and these checks before any that are installed; no settings, and no cache of
    a developer's."""
    checks = Path(__file__).parent
    first = (package.parent, checks.parent, checks / "profiled")
    settings = ("DOCGRAPH_", "PYTHONPATH")
    given = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
    cache = {"DOCGRAPH_VECTOR_CACHE_FOLDER": str(folder / "cache")}
    return {**given, **cache, "PYTHONPATH": os.pathsep.join(map(str, first))}
