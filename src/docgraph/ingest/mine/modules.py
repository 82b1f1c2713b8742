"""Which files a Python module's name may mean. It depends on the two files alone."""

from collections.abc import Iterator
from functools import cache

from docgraph.ingest.mine.corpus import Corpus, Sketch, distance
from docgraph.model.node import CODE

_STEP = 4  # ranks between two distances: symbol before submodule, package before module
_PACKAGE = "__init__.py"


class Modules:
    """Modules by name. Names of two parts or more may lie below any folder; a single name lies
    at the root, in a `src`, or beside the importing file."""

    def __init__(self, corpus: Corpus) -> None:
        self._by_path = corpus.by_path
        self._by_end: dict[tuple[str, ...], list[Sketch]] = {}
        for sketch in corpus.sketches:
            if sketch.kind == CODE and sketch.path.endswith(".py"):
                self._by_end.setdefault(module_parts(sketch.path)[-2:], []).append(sketch)
                self._by_end.setdefault(module_parts(sketch.path)[-1:], []).append(sketch)

    def named(self, importer: Sketch, module: str) -> Iterator[tuple[Sketch, int]]:
        """Every file that `module`, written in `importer`, may mean, with its rank."""
        if module.startswith("."):
            yield from self._relative(importer, module)
            return
        parts = tuple(module.split("."))
        for sketch in self._by_end.get(parts[-2:], ()):
            if _fits(importer, sketch, parts, parts):
                yield sketch, _rank(importer, sketch)

    def inside(self, importer: Sketch, module: str, name: str) -> Iterator[tuple[Sketch, int]]:
        """Submodules called `name` of what `module` may mean."""
        if module.startswith("."):
            dots = "" if module.endswith(".") else "."
            yield from self._relative(importer, f"{module}{dots}{name}")
            return
        parts = (*module.split("."), name)
        for sketch in self._by_end.get(parts[-2:], ()):
            if _fits(importer, sketch, parts, parts[:-1]):
                yield sketch, _rank(importer, sketch)

    def _relative(self, importer: Sketch, module: str) -> Iterator[tuple[Sketch, int]]:
        """Exact: each dot but the first is one folder up."""
        inner = module.lstrip(".")
        folder = importer.folder.split("/") if importer.folder else []
        up = len(module) - len(inner) - 1
        if up > len(folder):
            return
        base = folder[: len(folder) - up] + (inner.split(".") if inner else [])
        for rank, path in enumerate(("/".join([*base, _PACKAGE]), "/".join(base) + ".py")):
            if path in self._by_path:
                yield self._by_path[path], rank


@cache
def module_parts(path: str) -> tuple[str, ...]:
    parts = path.removesuffix(".py").split("/")
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)


def _fits(
    importer: Sketch, sketch: Sketch, parts: tuple[str, ...], anchored: tuple[str, ...]
) -> bool:
    """`anchored` is the name that has to lie in a likely place when it is a single one."""
    own = module_parts(sketch.path)
    if own[-len(parts) :] != parts:
        return False
    above = own[: len(own) - len(parts)]
    return len(anchored) > 1 or not above or above[-1] == "src" or "/".join(above) == importer.folder


def _rank(importer: Sketch, sketch: Sketch) -> int:
    package = sketch.path.endswith(f"/{_PACKAGE}")
    return _STEP * distance(importer.path, sketch.path) + (0 if package else 1)
