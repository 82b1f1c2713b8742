"""A git repository at a commit, branch or tag as a source; the work tree is not touched."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from docgraph.adapters.sources.git_listing import LINK, Entry, listed, paths_of
from docgraph.adapters.sources.git_names import check_plain_name
from docgraph.adapters.sources.git_objects import GitObjects
from docgraph.adapters.sources.git_repository import find_repository, find_revision
from docgraph.adapters.sources.unusable import (
    LEADS_NOWHERE,
    LEADS_OUT,
    MAX_BYTES,
    bad_name,
    too_large,
)
from docgraph.ports.source import Problem, SourceFile

_MARK = "git:"
_POINTER = b"version https://git-lfs.github.com/spec/"


class GitSource:
    """Leaves out what a folder leaves out, and follows links within the tree as a folder does.

    `commit` is the full id of what is read, `branch` the branch that `ref` names, if it does.
    """

    def __init__(
        self,
        repository: Path,
        ref: str,
        max_bytes: int = MAX_BYTES,
        *,
        inside: Path | None = None,
    ) -> None:
        """With `inside`, `ref` is a plain name, and a repository that leads elsewhere refused."""
        if inside is not None:
            check_plain_name(ref)
        found = find_repository(repository, inside)
        revision = find_revision(found, ref)
        self.ref = ref
        self.commit = revision.commit
        self.branch = revision.branch
        self._tree = revision.tree
        self._git = found.git
        self._max_bytes = max_bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if "_objects" in self.__dict__:
            self._objects.close()
            del self._objects

    def files(self) -> Iterator[SourceFile | Problem]:
        links: list[str] = []
        for entry in listed(self._git, self._tree):
            problem = bad_name(entry.path)
            if problem is None and entry.mode == LINK:
                links.append(entry.path)
            else:
                yield problem or _file(entry)
        yield from self._followed(links)

    def read(self, file: SourceFile) -> bytes | Problem:
        """Never more than the limit."""
        if file.size > self._max_bytes:
            return too_large(file.path, file.size, self._max_bytes)
        if file.content_id is None:
            found = self._objects.at(self._tree, file.path)
        else:
            found = self._objects.get(file.content_id.removeprefix(_MARK), file.path)
        if found.kind != "blob":
            return Problem(file.path, f"cannot be read: {found.kind}")
        if found.body is None:
            return too_large(file.path, found.size, self._max_bytes)
        if found.body.startswith(_POINTER):
            return Problem(file.path, "a Git LFS pointer; the file itself is not in the repository")
        return found.body

    @cached_property
    def _objects(self) -> GitObjects:
        """Started by the first that needs it."""
        return GitObjects(self._git, self._max_bytes)

    def _followed(self, links: list[str]) -> Iterator[SourceFile | Problem]:
        """Nothing for a link to a folder inside the tree, which is listed in its own place.

        git follows a link without saying where it ends: every place of its bytes may be the one.
        """
        files: dict[str, list[SourceFile]] = {}
        for path in links:
            found = self._objects.at(self._tree, path)
            if found.kind == "blob":
                file = SourceFile(path, found.size, content_id=f"{_MARK}{found.id}")
                files.setdefault(found.id, []).append(file)
            elif found.kind != "tree":
                yield Problem(path, LEADS_OUT if found.kind == "symlink" else LEADS_NOWHERE)
        for blob, also in paths_of(self._git, self._tree, files.keys()).items():
            yield from (replace(file, also=also) for file in files[blob])


def _file(entry: Entry) -> SourceFile | Problem:
    if entry.size is None:
        return Problem(entry.path, f"its blob {entry.id} is not in the repository")
    return SourceFile(entry.path, entry.size, content_id=f"{_MARK}{entry.id}")
