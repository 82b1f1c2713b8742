"""Opens files below a folder, component by component and without following links.

Another process can replace a path between two uses of it; a descriptor stays the same.
"""

import errno
import os
import stat
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # does not wait on a pipe
_FOLDER = _PLAIN | os.O_DIRECTORY
# Where the system can, also through folders that may be entered but not listed.
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


_MAX_LINKS = 40  # as the system follows


class NotRegularFile(OSError):
    """The path is something else than a regular file."""


class DirectoryHandle:
    """Paths are relative to `folder`, with forward slashes; empty for itself.

    `folder` must not be a link; with `inside`, no step from there to it may be one.
    """

    def __init__(self, folder: Path, inside: Path | None = None) -> None:
        start = folder if inside is None else inside
        self._top = os.open(start, _STEP)
        close = weakref.finalize(self, os.close, self._top)
        if start != folder:
            with self._parent(folder.relative_to(start).as_posix()) as (parent, name):
                top = os.open(name, _STEP, dir_fd=parent)
            close()
            self._top = top
            weakref.finalize(self, os.close, top)

    def status(self, path: str) -> os.stat_result:
        with self._parent(path) as (parent, name):
            return os.stat(name, dir_fd=parent, follow_symlinks=False)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """A descriptor for listing it."""
        with self._parent(path) as (parent, name):
            opened = os.open(name, _FOLDER, dir_fd=parent)
        try:
            yield opened
        finally:
            os.close(opened)

    def file(self, path: str) -> BinaryIO:
        with self._parent(path) as (parent, name):
            return _open_regular(os.open(name, _PLAIN, dir_fd=parent))

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        parts = PurePosixPath(path).parts or (".",)
        if ".." in parts or parts[0].startswith("/"):
            raise NotRegularFile(None, "its path leads elsewhere")
        current = self._top
        try:
            for part in parts[:-1]:
                child = os.open(part, _STEP, dir_fd=current)
                if current != self._top:
                    os.close(current)
                current = child
            yield current, parts[-1]
        finally:
            if current != self._top:
                os.close(current)


def resolve_inside(base: Path, path: str, names: Sequence[Path]) -> str | None:
    """The path below `base` that links lead to from `path`; None if one leads out of it.

    Nothing outside of `base` is looked at, so the result does not tell what exists there. An
    absolute link leads inside if it begins with one of the folder's `names`. A link that leads
    nowhere inside of it is an OSError.
    """
    top = base.parts
    done, pending = list(top), list(reversed(PurePosixPath(path).parts))
    links = 0
    while pending:
        part = pending.pop()
        if part == "..":
            done.pop()
            continue
        done.append(part)
        if tuple(done[: len(top)]) != top or len(done) == len(top):
            continue
        here = Path(*done)
        if not stat.S_ISLNK(os.lstat(here).st_mode):
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = PurePosixPath(here.readlink())
        done.pop()
        if target.is_absolute():
            own = next((name for name in names if target.is_relative_to(name)), None)
            if own is None:
                return None
            done, target = list(top), target.relative_to(own)
        pending += reversed(target.parts)
    if tuple(done[: len(top)]) != top:
        return None
    return PurePosixPath(*done[len(top) :]).as_posix() if len(done) > len(top) else "."


def open_plain(path: Path) -> BinaryIO:
    """A file that is not a link itself; links among its folders are followed."""
    return _open_regular(os.open(path, _PLAIN))


def _open_regular(descriptor: int) -> BinaryIO:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise NotRegularFile(None, "not a regular file")
