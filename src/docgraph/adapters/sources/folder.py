"""A folder, or a single file, as a source."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from docgraph.adapters.sources.digest_memory import DigestMemory, signature_of
from docgraph.adapters.sources.safe_open import DirectoryHandle, NotRegularFile, resolve_inside
from docgraph.model.access_policy import SOURCE as RULES
from docgraph.model.digest import digest_bytes
from docgraph.model.errors import BadInput, SourceChanged
from docgraph.ports.cancellation import check_cancelled
from docgraph.ports.source import (
    MAX_FILE_BYTES,
    OpenedSource,
    SourceFile,
    SourceKind,
    SourceOptions,
    SourceProblem,
)
from docgraph.ports.writes import SourceRevision

# Skipped by every source: hidden files, installed packages and build output.
SKIPPED = frozenset({"__pycache__", "node_modules"})
# Output folders have ordinary names, so they count as output only beside a project file.
BUILT = frozenset({"build", "dist", "target"})
PROJECT_FILES = frozenset({"Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "setup.py"})
ENVIRONMENT_FILE = "pyvenv.cfg"


def is_hidden(name: str) -> bool:
    return name.startswith(".")


def is_skipped_folder(name: str, *, beside_project: bool, is_environment: bool = False) -> bool:
    """`beside_project`: a project file is next to it; `is_environment`: of Python."""
    built = name in BUILT and beside_project
    installed = name in SKIPPED or name.endswith(".egg-info")
    return is_hidden(name) or installed or built or is_environment


# Messages of problems, the same for every source.
LEADS_NOWHERE = "a link that leads nowhere"
LEADS_OUT = "a link that leads out of the folder is not followed"
NOT_REGULAR = "not a regular file"
CHANGED = "became a link or something else while it was read, and is not followed"


def too_large(path: str, size: int, limit: int) -> SourceProblem:
    return SourceProblem(
        path, f"{size:,} bytes is over the limit of {limit:,}; --max-bytes raises it"
    )


def bad_name(name: str) -> SourceProblem | None:
    """Names are decoded with surrogates in place of bytes that are not UTF-8."""
    if name.encode("utf-8", "replace").decode() == name:
        return None
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return SourceProblem(shown, "its name is not valid UTF-8")


# Errors of opening a link, a path through a file, and a socket.
_NOT_A_FILE = (errno.ELOOP, errno.ENOTDIR, errno.ENXIO)


class FolderSource:
    """Hidden and build folders are skipped; a link is followed to a file inside the root only.

    Links are followed when files are listed. A file that becomes a link later is not followed.
    With a `memory`, files that did not change since they were read are listed with their digests.
    """

    def __init__(
        self,
        root: Path,
        max_bytes: int = MAX_FILE_BYTES,
        *,
        inside: Path | None = None,
        memory: DigestMemory | None = None,
    ) -> None:
        """With `inside`, a path outside of it reads like an absent one."""
        missing = f"{root}: there is no such file or folder"
        if not root.exists():
            raise BadInput(missing)
        real, outer = root.resolve(), None if inside is None else inside.resolve()
        self._single = None if real.is_dir() else real.name
        self._base = real if self._single is None else real.parent
        named = root.absolute() if self._single is None else root.absolute().parent
        self._names = tuple(dict.fromkeys((self._base, named)))
        if outer is not None and not self._base.is_relative_to(outer):
            raise BadInput(missing)
        try:
            self._directory = DirectoryHandle(self._base, outer)
        except OSError as error:
            raise BadInput(f"{root}: cannot be opened: {error.strerror}") from error
        self._max_bytes = max_bytes
        self._memory = memory

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        if self._single is not None:
            yield from self._list_single(self._single)
            return
        folders = [""]
        while folders:
            check_cancelled()
            folder = folders.pop()
            try:
                inner, found = self._list(folder)
            except OSError as error:
                yield SourceProblem(folder or ".", f"cannot be opened: {error.strerror}")
                continue
            folders += inner
            yield from found

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        """Never more than the limit, and only a regular file, even if it changed meanwhile."""
        path = file.aliases[0] if file.aliases else file.path
        try:
            with self._directory.file(path) as handle:
                before = os.fstat(handle.fileno())
                if before.st_size > self._max_bytes:
                    return too_large(file.path, before.st_size, self._max_bytes)
                data = handle.read(self._max_bytes + 1)
                after = os.fstat(handle.fileno())
        except OSError as error:
            changed = isinstance(error, NotRegularFile) or error.errno in _NOT_A_FILE
            reason = CHANGED if changed else f"cannot be read: {error.strerror}"
            return SourceProblem(file.path, reason)
        if len(data) > self._max_bytes:
            return too_large(file.path, len(data), self._max_bytes)
        if self._memory is not None:
            _remember(self._memory, file, data, before, after)
        return data

    def _list_single(self, name: str) -> Iterator[SourceFile | SourceProblem]:
        """The access file beside a single file counts for it; a dangling link is reported too."""
        for path in dict.fromkeys((name, RULES)):
            if path == name or os.path.lexists(self._base / path):
                yield from self._files_at(path, partial(self._directory.status, path))

    def _list(self, folder: str) -> tuple[list[str], list[SourceFile | SourceProblem]]:
        """Its subfolders, which are listed next, and its files."""
        inner, found = list[str](), list[SourceFile | SourceProblem]()
        with self._directory.folder(folder) as opened, os.scandir(opened) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
            names = {entry.name for entry in ordered}
            if folder and ENVIRONMENT_FILE in names:
                return inner, found
            project = not PROJECT_FILES.isdisjoint(names)
            for entry in ordered:
                name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
                path = f"{folder}/{name}" if folder else name
                if is_folder and not is_skipped_folder(name, beside_project=project):
                    inner.append(path)
                elif not is_folder and not is_hidden(name):
                    found += self._files_at(path, partial(entry.stat, follow_symlinks=False))
        return inner, found

    def _files_at(
        self, path: str, read_status: Callable[[], os.stat_result]
    ) -> tuple[SourceFile | SourceProblem, ...]:
        """Nothing for a link to a folder inside the root: the folder is listed by itself."""
        try:
            status = read_status()
            aliases: tuple[str, ...] = ()
            if stat.S_ISLNK(status.st_mode):
                inner = resolve_inside(self._base, path, self._names)
                if inner is None:
                    return (bad_name(path) or SourceProblem(path, LEADS_OUT),)
                aliases = (inner,)
                status = self._directory.status(aliases[0])
        except OSError:
            return (bad_name(path) or SourceProblem(path, LEADS_NOWHERE),)
        if aliases and stat.S_ISDIR(status.st_mode):
            return ()
        if not stat.S_ISREG(status.st_mode):
            return (bad_name(path) or SourceProblem(path, NOT_REGULAR),)
        known = None
        if self._memory is not None:
            known = self._memory.find(aliases[0] if aliases else path, status)
        size, signature = status.st_size, signature_of(status)
        found = SourceFile(path, size, content_id=known, aliases=aliases, signature=signature)
        return (bad_name(path) or found,)


def _remember(
    memory: DigestMemory,
    file: SourceFile,
    data: bytes,
    before: os.stat_result,
    after: os.stat_result,
) -> None:
    """A file that was listed with the digest of other bytes has changed since."""
    path = file.aliases[0] if file.aliases else file.path
    digest = digest_bytes(data)
    memory.record(path, digest, before, after)
    if file.content_id not in (None, digest):
        raise SourceChanged(f"{file.path} changed while it was ingested; nothing was published")


DEFAULT_BRANCH = "main"


@contextmanager
def _open(path: str, options: SourceOptions) -> Iterator[OpenedSource]:
    root = Path(path)
    folder = FolderSource(root, options.max_bytes, inside=options.inside)
    name = root.name if options.repository is None else options.repository
    yield OpenedSource(folder, name, options.branch or DEFAULT_BRANCH, SourceRevision())


FOLDER = SourceKind("folder", _open)
