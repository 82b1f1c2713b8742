"""By which keys a Python module goes, and which keys a module's name may mean."""

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath

from docgraph.ingest.parse.code.meaning import Aim, Aims

_SUFFIX = ".py"
_PACKAGE = "__init__"
_NEAR = 4  # ranks from one folder to the next: symbol, submodule; package, module


def module_name(path: str) -> str:
    """What a person calls it: `src/docgraph/engine.py` is `docgraph.engine`."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if "src" in parts[:-1]:
        parts = parts[len(parts) - parts[::-1].index("src") :]
    if parts[-1] == _PACKAGE:
        parts = parts[:-1]
    while parts and not all(part.isidentifier() for part in parts):
        parts = parts[1:]
    return ".".join(parts) or PurePosixPath(path).name


def module_keys(path: str) -> Iterator[tuple[str, int]]:
    """Keys with their ranks. What is no identifier ends the names by which it can be imported."""
    parts = path.removesuffix(_SUFFIX).split("/")
    rank = 1
    if parts[-1] == _PACKAGE:
        parts, rank = parts[:-1], 0
    yield f"pyfile:{'/'.join(parts)}", rank
    for length in range(1, len(parts) + 1):
        if not parts[-length].isidentifier():
            return
        alone = length == len(parts) or parts[-2] == "src"
        if length > 1 or alone:
            yield f"py:{'.'.join(parts[-length:])}", rank


@lru_cache(maxsize=4096)
def module_aims(
    importer: str, module: str, inner: str = "", rank: int = 0, *, told: bool = True
) -> Aims:
    """What `module` may mean in that file; with `inner`, only a module that has such a thing."""
    folder = importer.rpartition("/")[0]
    if module.startswith("."):
        found = _relative(folder, module)
        keys = () if found is None else ((f"pyfile:{found}", 0),)
    elif "." in module or module in sys.stdlib_module_names:
        keys = ((f"py:{module}", _NEAR),)
    else:
        beside = f"{folder}/{module}" if folder else module
        keys = ((f"py:{module}", _NEAR), (f"pyfile:{beside}", _NEAR))
    told = told and module.partition(".")[0] not in sys.stdlib_module_names
    return tuple(
        Aim(key, f"::{inner}" if inner else "", bool(inner), rank, near, told) for key, near in keys
    )


def submodule(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _relative(folder: str, module: str) -> str | None:
    """The first dot is the importer's folder, each further one a folder up."""
    inner = module.lstrip(".")
    up = len(module) - len(inner) - 1
    folders = folder.split("/") if folder else []
    if up > len(folders):
        return None
    below = inner.split(".") if inner else []
    return "/".join([*folders[: len(folders) - up], *below])
