"""A folder, or a single file, as a source."""

import os
from collections.abc import Iterator
from pathlib import Path

from docgraph.adapters.sources.left_out import (
    ENVIRONMENT_FILE,
    PROJECT_FILES,
    is_hidden,
    is_left_out_folder,
)
from docgraph.adapters.sources.unusable import (
    LEADS_NOWHERE,
    LEADS_OUT,
    MAX_BYTES,
    bad_name,
    too_large,
)
from docgraph.model.access_lines import SOURCE as RULES
from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem, SourceFile


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
            yield from self._single()
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
                return too_large(file.path, path.stat().st_size, self._max_bytes)
            with path.open("rb") as handle:
                data = handle.read(self._max_bytes + 1)
        except OSError as error:
            return Problem(file.path, f"cannot be read: {error.strerror}")
        if len(data) > self._max_bytes:
            return too_large(file.path, len(data), self._max_bytes)
        return data

    def _single(self) -> Iterator[SourceFile | Problem]:
        """The rules beside a file count for it; a link to them that leads nowhere is told too."""
        yield self._file(self._root)
        rules = self._base / RULES
        if rules != self._root and os.path.lexists(rules):
            yield self._file(rules)

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
        if problem := bad_name(name):
            return problem
        try:
            real = path.resolve(strict=True)
            size = real.stat().st_size
        except (OSError, RuntimeError):
            return Problem(name, LEADS_NOWHERE)
        if not real.is_relative_to(self._base):
            return Problem(name, LEADS_OUT)
        if not real.is_file():
            return Problem(name, "not a regular file")
        return SourceFile(name, size, also=() if real == path else (self._name(real),))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._base).as_posix()


def _left_out(entry: "os.DirEntry[str]", beside: set[str]) -> bool:
    if is_hidden(entry.name) or not entry.is_dir(follow_symlinks=False):
        return is_hidden(entry.name)
    return is_left_out_folder(
        entry.name,
        beside_project=not PROJECT_FILES.isdisjoint(beside),
        is_environment=(Path(entry.path) / ENVIRONMENT_FILE).exists(),
    )
