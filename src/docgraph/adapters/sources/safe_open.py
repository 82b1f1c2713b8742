"""Opens what lies below a folder, step by step and without following a link.

A path is a promise that others can break between two looks at it; a descriptor is not.
"""

import os
import stat
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe is not waited for
_FOLDER = _PLAIN | os.O_DIRECTORY
# Where a system can, a folder is stepped through that may be entered but not listed.
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


class NotRegularFile(OSError):
    """Was opened, and is something else than a file with bytes in it."""


class DirectoryHandle:
    """Paths are told from `folder`, with forward slashes; empty for itself.

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
        """A descriptor to list it by."""
        with self._parent(path) as (parent, name):
            opened = os.open(name, _FOLDER, dir_fd=parent)
        try:
            yield opened
        finally:
            os.close(opened)

    def file(self, path: str) -> BinaryIO:
        with self._parent(path) as (parent, name):
            return _checked(os.open(name, _PLAIN, dir_fd=parent))

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        parts = PurePosixPath(path).parts or (".",)
        if ".." in parts or parts[0].startswith("/"):
            raise NotRegularFile(None, "its path leads elsewhere")
        here = self._top
        try:
            for part in parts[:-1]:
                below = os.open(part, _STEP, dir_fd=here)
                if here != self._top:
                    os.close(here)
                here = below
            yield here, parts[-1]
        finally:
            if here != self._top:
                os.close(here)


def open_plain(path: Path) -> BinaryIO:
    """A file that is no link itself; its folders are taken as they are."""
    return _checked(os.open(path, _PLAIN))


def _checked(opened: int) -> BinaryIO:
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return os.fdopen(opened, "rb")
    os.close(opened)
    raise NotRegularFile(None, "not a regular file")
