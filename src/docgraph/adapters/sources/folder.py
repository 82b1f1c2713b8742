"""A folder, or a single file, as a source."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from docgraph.adapters.sources.safe_open import DirectoryHandle, NotRegularFile
from docgraph.model.access_policy import SOURCE as RULES
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.source import SourceFile, SourceProblem

# What no source takes in: hidden things, installed packages, and what a build has made.


SKIPPED = frozenset({"__pycache__", "node_modules"})
# Output folders have ordinary names, so they count as output only beside a project file.
BUILT = frozenset({"build", "dist", "target"})
PROJECT_FILES = frozenset({"Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "setup.py"})
ENVIRONMENT_FILE = "pyvenv.cfg"


def is_hidden(name: str) -> bool:
    return name.startswith(".")


def is_left_out_folder(name: str, *, beside_project: bool, is_environment: bool = False) -> bool:
    """`beside_project`: a project file lies next to it; `is_environment`: Python's lies in it."""
    built = name in BUILT and beside_project
    made = name in SKIPPED or name.endswith(".egg-info")
    return is_hidden(name) or made or built or is_environment


# Why a file cannot be used, in the same words for every source.


MAX_BYTES = 10_000_000
LEADS_NOWHERE = "a link that leads nowhere"
LEADS_OUT = "a link that leads out of the folder is not followed"
NOT_REGULAR = "not a regular file"
CHANGED = "became a link or something else while it was read, and is not followed"


def too_large(path: str, size: int, limit: int) -> SourceProblem:
    return SourceProblem(
        path, f"{size:,} bytes is over the limit of {limit:,}; --max-bytes raises it"
    )


def bad_name(name: str) -> SourceProblem | None:
    """A name was decoded with surrogates in place of the bytes that are not UTF-8."""
    if name.encode("utf-8", "replace").decode() == name:
        return None
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return SourceProblem(shown, "its name is not valid UTF-8")


# What opening says of a link, of a file on the way, and of a socket.
_SOMETHING_ELSE = (errno.ELOOP, errno.ENOTDIR, errno.ENXIO)


class FolderSource:
    """Hidden and built folders are left out; a link is followed to a file inside the root only.

    Links are followed when files are listed. What turns into one later is not followed.
    """

    def __init__(
        self, root: Path, max_bytes: int = MAX_BYTES, *, inside: Path | None = None
    ) -> None:
        """With `inside`, nothing that lies elsewhere is there."""
        missing = f"{root}: there is no such file or folder"
        if not root.exists():
            raise BadInput(missing)
        place, outer = root.resolve(), None if inside is None else inside.resolve()
        self._single = None if place.is_dir() else place.name
        self._base = place if self._single is None else place.parent
        if outer is not None and not self._base.is_relative_to(outer):
            raise BadInput(missing)
        try:
            self._below = DirectoryHandle(self._base, outer)
        except OSError as error:
            raise BadInput(f"{root}: cannot be opened: {error.strerror}") from error
        self._max_bytes = max_bytes

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        if self._single is not None:
            yield from self._beside(self._single)
            return
        folders = [""]
        while folders:
            check_cancelled()
            folder = folders.pop()
            try:
                inner, found = self._listed(folder)
            except OSError as error:
                yield SourceProblem(folder or ".", f"cannot be opened: {error.strerror}")
                continue
            folders += inner
            yield from found

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        """Never more than the limit, and nothing but a file, whatever has become of it since."""
        place = file.aliases[0] if file.aliases else file.path
        try:
            with self._below.file(place) as handle:
                size = os.fstat(handle.fileno()).st_size
                if size > self._max_bytes:
                    return too_large(file.path, size, self._max_bytes)
                data = handle.read(self._max_bytes + 1)
        except OSError as error:
            is_else = isinstance(error, NotRegularFile) or error.errno in _SOMETHING_ELSE
            reason = CHANGED if is_else else f"cannot be read: {error.strerror}"
            return SourceProblem(file.path, reason)
        if len(data) > self._max_bytes:
            return too_large(file.path, len(data), self._max_bytes)
        return data

    def _beside(self, name: str) -> Iterator[SourceFile | SourceProblem]:
        """The rules beside a file count for it; a link to them that leads nowhere is told too."""
        for path in dict.fromkeys((name, RULES)):
            if path == name or os.path.lexists(self._base / path):
                yield from self._found(path, partial(self._below.status, path))

    def _listed(self, folder: str) -> tuple[list[str], list[SourceFile | SourceProblem]]:
        """The folders in it, to be listed in their turn, and the files."""
        inner, found = list[str](), list[SourceFile | SourceProblem]()
        with self._below.folder(folder) as opened, os.scandir(opened) as entries:
            there = sorted(entries, key=lambda entry: entry.name)
            names = {entry.name for entry in there}
            if folder and ENVIRONMENT_FILE in names:
                return inner, found
            project = not PROJECT_FILES.isdisjoint(names)
            for entry in there:
                name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
                path = f"{folder}/{name}" if folder else name
                if is_folder and not is_left_out_folder(name, beside_project=project):
                    inner.append(path)
                elif not is_folder and not is_hidden(name):
                    found += self._found(path, partial(entry.stat, follow_symlinks=False))
        return inner, found

    def _found(
        self, path: str, look: Callable[[], os.stat_result]
    ) -> tuple[SourceFile | SourceProblem, ...]:
        """Nothing for a link to a folder inside the root: it is walked in its own place."""
        try:
            status = look()
            also: tuple[str, ...] = ()
            if stat.S_ISLNK(status.st_mode):
                real = (self._base / path).resolve(strict=True)
                if not real.is_relative_to(self._base):
                    return (bad_name(path) or SourceProblem(path, LEADS_OUT),)
                also = (real.relative_to(self._base).as_posix(),)
                status = self._below.status(also[0])
        except (OSError, RuntimeError):
            return (bad_name(path) or SourceProblem(path, LEADS_NOWHERE),)
        if also and stat.S_ISDIR(status.st_mode):
            return ()
        if not stat.S_ISREG(status.st_mode):
            return (bad_name(path) or SourceProblem(path, NOT_REGULAR),)
        return (bad_name(path) or SourceFile(path, status.st_size, aliases=also),)
