"""The source that a path names: a folder, a file, or a commit of a git repository."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.model.errors import BadInput
from docgraph.ports.source import Source
from docgraph.ports.writes import SourceRevision

if TYPE_CHECKING:
    from docgraph.adapters.sources.git import GitSource


# What a path is called, and whether it is git's own folder.


def default_repository(path: Path) -> str:
    """The folder's own name, without `.git`; a file goes by the folder that it lies in."""
    place = path.resolve()
    if place.name == ".git" or place.is_file():
        place = place.parent
    name = place.name.removesuffix(".git")
    if not name:
        raise BadInput(f"{path}: nothing to call it by; name its repository")
    return name


def is_bare(path: Path) -> bool:
    """Holds commits and no files: `REPO.git`, and the `.git` of a work tree too."""
    inner = (path / "objects", path / "refs")
    return (path / "HEAD").is_file() and all(folder.is_dir() for folder in inner)


MAX_FILE_BYTES = 10_000_000  # bytes
DEFAULT_BRANCH = "main"


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """What is to be read, what its snapshot is called, and the commit it stands for."""

    source: Source
    repository: str
    branch: str
    origin: SourceRevision


@contextmanager
def open_source(
    path: Path,
    *,
    repository: str | None = None,
    branch: str | None = None,
    ref: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    inside: Path | None = None,
) -> Iterator[OpenedSource]:
    """Opened before the store is, so that a misspelt path makes none.

    A repository goes by its folder's name, a branch by that of `ref`, else `main`. Without `ref`
    files are read as they lie there; a bare repository has none, and is read at its HEAD.
    Nothing outside of `inside` is read; a repository that leads there is refused, and so is a
    `ref` that is more than a plain name.
    """
    name = default_repository(path) if repository is None else repository
    git_ref = "HEAD" if ref is None and is_bare(path) else ref
    if git_ref is None:
        folder = _open_folder(path, max_bytes, inside)
        yield OpenedSource(folder, name, branch or DEFAULT_BRANCH, SourceRevision())
        return
    with _open_git(path, git_ref, max_bytes, inside) as git:
        name_of_ref = git.branch or git.ref
        yield OpenedSource(
            git, name, branch or name_of_ref, SourceRevision(name_of_ref, git.commit)
        )


def _open_folder(path: Path, max_bytes: int, inside: Path | None) -> Source:
    from docgraph.adapters.sources.folder import FolderSource

    return FolderSource(path, max_bytes, inside=inside)


def _open_git(path: Path, ref: str, max_bytes: int, inside: Path | None) -> "GitSource":
    from docgraph.adapters.sources.git import GitSource

    return GitSource(path, ref, max_bytes, inside=inside)
