"""The files of a git tree, without those that no source takes in."""

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import IO

from docgraph.adapters.sources.git_program import Git, last_words
from docgraph.adapters.sources.left_out import (
    ENVIRONMENT_FILE,
    PROJECT_FILES,
    is_hidden,
    is_left_out_folder,
)
from docgraph.model.errors import BadInput

LINK, SUBMODULE = "120000", "160000"
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Entry:
    """`size` is None where the repository does not hold the object."""

    mode: str
    id: str
    size: int | None
    path: str


def listed(git: Git, tree: str) -> Iterator[Entry]:
    """Twice through the tree: what lies beside a folder may be listed after it."""
    projects: set[str] = set()
    environments: set[str] = set()
    for entry in _entries(git, tree):
        folder, _, name = entry.path.rpartition("/")
        if name in PROJECT_FILES:
            projects.add(folder)
        if name == ENVIRONMENT_FILE:
            environments.add(folder)
    decided: dict[str, bool] = {"": False}
    for entry in _entries(git, tree):
        folder, _, name = entry.path.rpartition("/")
        if folder not in decided:
            decided[folder] = _is_left_out(folder, projects, environments)
        if entry.mode != SUBMODULE and not decided[folder] and not is_hidden(name):
            yield entry


def paths_of(git: Git, tree: str, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Where in the tree each of these blobs lies, also in folders that no source takes in.

    A link's own blob holds the path that it leads to, so a link is none of these places.
    """
    places: dict[str, list[str]] = {blob: [] for blob in ids}
    for entry in _entries(git, tree) if ids else ():
        if entry.mode != LINK and entry.id in places:
            places[entry.id].append(entry.path)
    return {blob: tuple(paths) for blob, paths in places.items()}


def _is_left_out(path: str, projects: set[str], environments: set[str]) -> bool:
    """A folder is, if it or one above it is; the root never."""
    folder = ""
    for name in path.split("/"):
        beside = folder in projects
        folder = f"{folder}/{name}" if folder else name
        inside = folder in environments
        if is_left_out_folder(name, beside_project=beside, is_environment=inside):
            return True
    return False


def _entries(git: Git, tree: str) -> Iterator[Entry]:
    arguments = ("ls-tree", "-r", "-z", "--long", "--full-tree", tree)
    with tempfile.TemporaryFile() as errors, git.running(*arguments, stderr=errors) as process:
        assert process.stdout is not None
        yield from map(_entry, _records(process.stdout))
        if process.wait():
            errors.seek(0)
            raise BadInput(f"git cannot list {tree}: {last_words(process, errors.read(_BLOCK))}")


def _records(output: IO[bytes]) -> Iterator[bytes]:
    """Each record ends with a NUL; a block may end within one."""
    rest = b""
    while block := output.read(_BLOCK):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole


def _entry(record: bytes) -> Entry:
    """`mode type id size<TAB>path`; the size is `-` or `BAD` where git knows none."""
    front, _, path = record.decode("utf-8", "surrogateescape").partition("\t")
    mode, _, object_id, size = front.split()
    return Entry(mode, object_id, int(size) if size.isdecimal() else None, path)
