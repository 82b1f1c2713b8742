"""A git repository at a commit, branch or tag as a source; the work tree is not touched."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from docgraph.adapters.sources.folder import (
    ENVIRONMENT_FILE,
    LEADS_NOWHERE,
    LEADS_OUT,
    PROJECT_FILES,
    bad_name,
    is_hidden,
    is_skipped_folder,
    too_large,
)
from docgraph.adapters.sources.git_objects import GitObjects
from docgraph.adapters.sources.git_process import Git, error_message
from docgraph.adapters.sources.git_repository import (
    check_plain_name,
    find_repository,
    find_revision,
)
from docgraph.model.errors import BadInput
from docgraph.ports.source import (
    MAX_FILE_BYTES,
    OpenedSource,
    SourceFile,
    SourceKind,
    SourceOptions,
    SourceProblem,
)
from docgraph.ports.writes import SourceRevision

LINK, SUBMODULE = "120000", "160000"
_BLOCK = 1 << 16
MAX_ENTRIES = 1_000_000  # a folder that a tree names many times is listed as often


@dataclass(frozen=True, slots=True)
class Entry:
    """`size` is None where the repository does not hold the object."""

    mode: str
    id: str
    size: int | None
    path: str


def list_files(git: Git, tree: str) -> Iterator[Entry]:
    """Without skipped folders. Two passes: files beside a folder may be listed after it."""
    projects: set[str] = set()
    environments: set[str] = set()
    for entry in _entries(git, tree):
        folder, _, name = entry.path.rpartition("/")
        if name in PROJECT_FILES:
            projects.add(folder)
        if name == ENVIRONMENT_FILE:
            environments.add(folder)
    skipped: dict[str, bool] = {"": False}
    for entry in _entries(git, tree):
        folder, _, name = entry.path.rpartition("/")
        _find_skipped(folder, projects, environments, skipped)
        if entry.mode != SUBMODULE and not skipped[folder] and not is_hidden(name):
            yield entry


def paths_of(git: Git, tree: str, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The paths of each of these blobs in the tree, also in skipped folders.

    A link's own blob holds the path of its target, so links do not count.
    """
    paths: dict[str, list[str]] = {blob: [] for blob in ids}
    for entry in _entries(git, tree) if ids else ():
        if entry.mode != LINK and entry.id in paths:
            paths[entry.id].append(entry.path)
    return {blob: tuple(found) for blob, found in paths.items()}


def _find_skipped(
    path: str, projects: set[str], environments: set[str], skipped: dict[str, bool]
) -> None:
    """Adds whether the folder, or one above it, is skipped; the root, which is known, never is."""
    unknown: list[str] = []
    while path not in skipped:
        unknown.append(path)
        path = path.rpartition("/")[0]
    for folder in reversed(unknown):
        above, _, name = folder.rpartition("/")
        skipped[folder] = skipped[above] or is_skipped_folder(
            name, beside_project=above in projects, is_environment=folder in environments
        )


def _entries(git: Git, tree: str) -> Iterator[Entry]:
    arguments = ("ls-tree", "-r", "-z", "--long", "--full-tree", tree)
    with tempfile.TemporaryFile() as errors, git.running(*arguments, stderr=errors) as process:
        assert process.stdout is not None
        for number, record in enumerate(_records(process.stdout)):
            if number == MAX_ENTRIES:
                raise BadInput(f"{tree} has more than {MAX_ENTRIES:,} files")
            yield _entry(record)
        if process.wait():
            errors.seek(0)
            raise BadInput(f"git cannot list {tree}: {error_message(process, errors.read(_BLOCK))}")


def _records(output: IO[bytes]) -> Iterator[bytes]:
    """Each record ends with a NUL; a block may end within one."""
    rest: list[bytes] = []
    while block := output.read(_BLOCK):
        first, *more = block.split(b"\0")
        rest.append(first)
        if more:
            yield b"".join(rest)
            yield from more[:-1]
            rest = [more[-1]]


def _entry(record: bytes) -> Entry:
    """`mode type id size<TAB>path`; the size is `-` or `BAD` where git knows none."""
    front, _, path = record.decode("utf-8", "surrogateescape").partition("\t")
    mode, _, object_id, size = front.split()
    return Entry(mode, object_id, int(size) if size.isdecimal() else None, path)


_SCHEME = "git:"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class GitSource:
    """Skips the same files as a folder source, and follows links within the tree as it does.

    `commit` is the full id of the commit, `branch` the branch that `ref` names, if it is one.
    """

    def __init__(
        self,
        repository: Path,
        ref: str,
        max_bytes: int = MAX_FILE_BYTES,
        *,
        inside: Path | None = None,
    ) -> None:
        """With `inside`, `ref` must be a plain name, and the repository must be all inside."""
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

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        links: list[str] = []
        for entry in list_files(self._git, self._tree):
            problem = bad_name(entry.path)
            if problem is None and entry.mode == LINK:
                links.append(entry.path)
            else:
                yield problem or _file(entry)
        yield from self._follow(links)

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        """Never more than the limit."""
        if file.size > self._max_bytes:
            return too_large(file.path, file.size, self._max_bytes)
        if file.content_id is None:
            found = self._objects.at(self._tree, file.path)
        else:
            found = self._objects.get(file.content_id.removeprefix(_SCHEME), file.path)
        if found.kind != "blob":
            return SourceProblem(file.path, f"cannot be read: {found.kind}")
        if found.body is None:
            return too_large(file.path, found.size, self._max_bytes)
        if found.body.startswith(_LFS_POINTER):
            return SourceProblem(
                file.path, "a Git LFS pointer; the file itself is not in the repository"
            )
        return found.body

    @cached_property
    def _objects(self) -> GitObjects:
        """Started on first use."""
        return GitObjects(self._git, self._max_bytes)

    def _follow(self, links: list[str]) -> Iterator[SourceFile | SourceProblem]:
        """Nothing for a link to a folder inside the tree, which is listed by itself.

        git does not tell a link's final path, so every path of the same blob is an alias.
        """
        files: dict[str, list[SourceFile]] = {}
        for path in links:
            found = self._objects.at(self._tree, path)
            if found.kind == "blob":
                file = SourceFile(path, found.size, content_id=f"{_SCHEME}{found.id}")
                files.setdefault(found.id, []).append(file)
            elif found.kind != "tree":
                yield SourceProblem(path, LEADS_OUT if found.kind == "symlink" else LEADS_NOWHERE)
        for blob, paths in paths_of(self._git, self._tree, files.keys()).items():
            yield from (replace(file, aliases=paths) for file in files[blob])


def _file(entry: Entry) -> SourceFile | SourceProblem:
    if entry.size is None:
        return SourceProblem(entry.path, f"its blob {entry.id} is not in the repository")
    return SourceFile(entry.path, entry.size, content_id=f"{_SCHEME}{entry.id}")


@contextmanager
def _open(path: str, options: SourceOptions) -> Iterator[OpenedSource]:
    root, ref = Path(path), "HEAD" if options.ref is None else options.ref
    with GitSource(root, ref, options.max_bytes, inside=options.inside) as git:
        read = git.branch or git.ref
        name = root.name if options.repository is None else options.repository
        yield OpenedSource(git, name, options.branch or read, SourceRevision(read, git.commit))


GIT = SourceKind("git", _open)
