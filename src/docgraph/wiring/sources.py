"""The source that a path names: a folder, a file, or a commit of a git repository."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docgraph.ports.source import Source
from docgraph.ports.writes import Origin
from docgraph.wiring.build import check_git_bounds, open_folder, open_git
from docgraph.wiring.default_repository import default_repository, is_bare

LARGEST_FILE = 10_000_000  # bytes
HOME = "main"


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """What is to be read, what its snapshot is called, and the commit it stands for."""

    source: Source
    repository: str
    branch: str
    origin: Origin


@contextmanager
def open_source(
    path: Path,
    *,
    repository: str | None = None,
    branch: str | None = None,
    ref: str | None = None,
    max_bytes: int = LARGEST_FILE,
    inside: Path | None = None,
) -> Iterator[OpenedSource]:
    """Opened before the store is, so that a misspelt path makes none.

    A repository goes by its folder's name, a branch by that of `ref`, else `main`. Without `ref`
    files are read as they lie there; a bare repository has none, and is read at its HEAD.
    A repository that keeps anything outside of `inside` is refused.
    """
    name = default_repository(path) if repository is None else repository
    wanted = "HEAD" if ref is None and is_bare(path) else ref
    if wanted is None:
        yield OpenedSource(open_folder(path, max_bytes), name, branch or HOME, Origin())
        return
    if inside is not None:
        check_git_bounds(path, inside)
    with open_git(path, wanted, max_bytes) as git:
        told = git.branch or git.ref
        yield OpenedSource(git, name, branch or told, Origin(told, git.commit))
