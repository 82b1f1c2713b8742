"""Which files a Python module's name may mean. It depends on the two files alone."""

from collections.abc import Iterator

from docgraph.ingest.mine.corpus import Corpus, Sketch, distance
from docgraph.model.node import CODE

_STEP = 4  # ranks from one distance to the next: symbol, submodule; package, module
_PACKAGE = "__init__.py"
Found = tuple[tuple[Sketch, int], ...]
_Parts = tuple[str, ...]


class Modules:
    """Modules by name, with a rank: the nearer the importing file, the lower.

    A name of two parts or more may lie below any folder; a single one lies at the root, in a
    `src`, or beside the importing file. Relative names are exact.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._by_path = corpus.by_path
        self._by_end: dict[_Parts, list[tuple[_Parts, Sketch]]] = {}
        self._known: dict[tuple[str, str, str], Found] = {}
        for sketch in corpus.sketches:
            if sketch.kind == CODE and sketch.path.endswith(".py"):
                parts = module_parts(sketch.path)
                for end in {parts[-1:], parts[-2:]}:
                    self._by_end.setdefault(end, []).append((parts, sketch))

    def named(self, importer: Sketch, module: str) -> Found:
        return self.inside(importer, module, "")

    def inside(self, importer: Sketch, module: str, name: str) -> Found:
        """Submodules called `name` of what `module` may mean; without a name, itself."""
        key = (importer.folder, module, name)
        if key not in self._known:
            search = self._relative if module.startswith(".") else self._absolute
            self._known[key] = tuple(search(importer, module, name))
        return self._known[key]

    def _absolute(self, importer: Sketch, module: str, name: str) -> Iterator[tuple[Sketch, int]]:
        package = tuple(module.split("."))
        wanted = (*package, name) if name else package
        for parts, sketch in self._by_end.get(wanted[-2:], ()):
            above = parts[: len(parts) - len(wanted)]
            likely = not above or above[-1] == "src" or "/".join(above) == importer.folder
            if parts[-len(wanted) :] == wanted and (len(package) > 1 or likely):
                own = 0 if sketch.path.endswith(_PACKAGE) else 1
                yield sketch, _STEP * distance(importer.path, sketch.path) + own

    def _relative(self, importer: Sketch, module: str, name: str) -> Iterator[tuple[Sketch, int]]:
        """The first dot is the importer's folder, each further one a folder up."""
        inner = [part for part in (*module.lstrip(".").split("."), name) if part]
        folder = importer.folder.split("/") if importer.folder else []
        up = len(module) - len(module.lstrip(".")) - 1
        if up > len(folder):
            return
        base = "/".join([*folder[: len(folder) - up], *inner])
        for rank, path in enumerate((f"{base}/{_PACKAGE}".lstrip("/"), f"{base}.py")):
            if path in self._by_path:
                yield self._by_path[path], rank


def module_parts(path: str) -> _Parts:
    parts = path.removesuffix(".py").split("/")
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)
