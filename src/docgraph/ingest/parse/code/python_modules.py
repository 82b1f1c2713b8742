"""By which keys a Python module goes, and which keys a module's name may mean."""

import sys
from collections.abc import Iterator
from functools import lru_cache

from docgraph.ingest.parse.code.meaning import Aim, Aims

_SUFFIX = ".py"
_PACKAGE = "__init__"
_NEAR = 4  # ranks from one folder to the next: symbol, submodule; package, module


def module_name(path: str) -> str:
    """What a person calls it: `src/docgraph/engine.py` is `docgraph.engine`."""
    parts = path.split("/")
    parts[-1] = parts[-1].rpartition(".")[0] or parts[-1]
    if "src" in parts[:-1]:
        parts = parts[len(parts) - parts[::-1].index("src") :]
    if parts[-1] == _PACKAGE:
        parts = parts[:-1]
    while parts and not all(part.isidentifier() for part in parts):
        parts = parts[1:]
    return ".".join(parts) or path.rpartition("/")[2]


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
        name = ".".join(parts[-length:])
        if length > 1:
            yield f"py:{name}", rank
        if length == len(parts) or parts[-length - 1] == "src":
            yield f"pyroot:{name}", rank


def is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def module_aims(
    importer: str, module: str, inner: str = "", *, rank: int = 0, told: bool = True
) -> Aims:
    """What `module` may mean in that file; with `inner`, only a module that has such a thing."""
    return _aims(importer, module, "", inner, rank, told)


def submodule_aims(
    importer: str, package: str, name: str, inner: str = "", *, rank: int, told: bool = True
) -> Aims:
    """A module in a package; nobody has to look for one in the standard library."""
    return () if is_standard(package) else _aims(importer, package, name, inner, rank, told)


@lru_cache(maxsize=4096)
def _aims(importer: str, package: str, name: str, inner: str, rank: int, told: bool) -> Aims:
    module = package if not name else f"{package}{'' if package.endswith('.') else '.'}{name}"
    inside, standard = f"::{inner}" if inner else "", is_standard(package)
    how = (inside, bool(inner), rank)
    if package.startswith("."):
        found = _relative(importer, module)
        return () if found is None else (Aim(f"pyfile:{found}", *how, 0, told),)
    if standard:
        return (Aim(f"pyroot:{module}", *how, _NEAR, reported=False),)
    if "." in package:
        return (Aim(f"py:{module}", *how, _NEAR, told),)
    beside = f"{importer.rpartition('/')[0]}/{module.replace('.', '/')}".lstrip("/")
    return (
        Aim(f"pyroot:{module}", *how, _NEAR, told),
        Aim(f"pyfile:{beside}", *how, _NEAR, told),
    )


def _relative(importer: str, module: str) -> str | None:
    """The first dot is the importer's folder, each further one a folder up."""
    inner = module.lstrip(".")
    up = len(module) - len(inner) - 1
    folders = importer.split("/")[:-1]
    if up > len(folders):
        return None
    below = inner.split(".") if inner else []
    return "/".join([*folders[: len(folders) - up], *below])
