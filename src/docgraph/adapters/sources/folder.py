"""A folder, or a single file, as a source."""

import os
from collections.abc import Iterator
from pathlib import Path

from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem, SourceFile

MAX_BYTES = 10_000_000
SKIPPED = frozenset({"__pycache__", "node_modules"})
# Output folders have ordinary names, so they count as output only beside a project file.
BUILT = frozenset({"build", "dist", "target"})
PROJECT_FILES = frozenset({"Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "setup.py"})


class FolderSource:
    """Hidden and built folders are left out; a link is followed to a file inside the root only."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES) -> None:
        if not root.exists():
            raise BadInput(f"{root}: there is no such file or folder")
        self._root = root.resolve()
        self._base = self._root if self._root.is_dir() else self._root.parent
        self._max_bytes = max_bytes

    def files(self) -> Iterator[SourceFile | Problem]:
        if not self._root.is_dir():
            yield self._file(self._root)
            return
        folders = [self._root]
        while folders:
            entries = self._entries(folder := folders.pop())
            if isinstance(entries, Problem):
                yield entries
                continue
            names = {entry.name for entry in entries}
            for entry in entries:
                if _left_out(entry, names):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(folder / entry.name)
                elif not self._is_inner_folder(path := folder / entry.name):
                    yield self._file(path)

    def read(self, file: SourceFile) -> bytes | Problem:
        """Never more than the limit, even where the file has grown since it was listed."""
        path = self._base / file.path
        try:
            if path.stat().st_size > self._max_bytes:
                return self._too_large(file.path, path.stat().st_size)
            with path.open("rb") as handle:
                data = handle.read(self._max_bytes + 1)
        except OSError as error:
            return Problem(file.path, f"cannot be read: {error.strerror}")
        return data if len(data) <= self._max_bytes else self._too_large(file.path, len(data))

    def _entries(self, folder: Path) -> "list[os.DirEntry[str]] | Problem":
        try:
            with os.scandir(folder) as found:
                return sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            return Problem(self._name(folder), f"cannot be opened: {error.strerror}")

    def _is_inner_folder(self, path: Path) -> bool:
        """A link to a folder inside the root is walked in its own place, so loops are harmless."""
        return path.is_symlink() and path.is_dir() and path.resolve().is_relative_to(self._base)

    def _file(self, path: Path) -> SourceFile | Problem:
        name = self._name(path)
        if name.encode("utf-8", "replace").decode() != name:
            shown = os.fsencode(name).decode("utf-8", "backslashreplace")
            return Problem(shown, "its name is not valid UTF-8")
        try:
            real = path.resolve(strict=True)
            size = real.stat().st_size
        except (OSError, RuntimeError):
            return Problem(name, "a link that leads nowhere")
        if not real.is_relative_to(self._base):
            return Problem(name, "a link that leads out of the folder is not followed")
        return SourceFile(name, size) if real.is_file() else Problem(name, "not a regular file")

    def _name(self, path: Path) -> str:
        return path.relative_to(self._base).as_posix()

    def _too_large(self, path: str, size: int) -> Problem:
        limit = f"{size:,} bytes is over the limit of {self._max_bytes:,}"
        return Problem(path, f"{limit}; --max-bytes raises it")


def _left_out(entry: "os.DirEntry[str]", beside: set[str]) -> bool:
    if entry.name.startswith("."):
        return True
    if not entry.is_dir(follow_symlinks=False):
        return False
    built = entry.name in BUILT and not PROJECT_FILES.isdisjoint(beside)
    environment = (Path(entry.path) / "pyvenv.cfg").exists()
    return entry.name in SKIPPED or entry.name.endswith(".egg-info") or built or environment
