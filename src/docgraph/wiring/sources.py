"""The source that a path or address names: a folder, a commit of git, or a plug-in's."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SourceLocation
from docgraph.ports.source import OpenedSource, SourceKind, SourceOptions
from docgraph.wiring.plugins import SHIPPED, SOURCES, load_plugin

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://")
_CREDENTIALS = re.compile(r"//[^/@]*@")


def default_repository(path: Path) -> str:
    """The folder's own name, without `.git`; a file goes by the folder that it lies in."""
    place = path.resolve()
    if place.name == ".git" or place.is_file():
        place = place.parent
    name = place.name.removesuffix(".git")
    if not name:
        raise BadInput(f"{path}: nothing to call it by; name its repository")
    return name


def source_location(path: Path | str, ref: str = "") -> SourceLocation:
    """What identifies a source: the real path, or the address without its credentials.

    A remote in a repository's settings does not: those who write the folder can forge it. Commits
    that are read through a linked work tree are those of its repository.
    """
    if isinstance(path, str) and _ADDRESS.match(path):
        return SourceLocation(_CREDENTIALS.sub("//", path, count=1), ref)
    place = Path(path).resolve()
    if place.name == ".git":
        place = place.parent
    if ref:
        from docgraph.adapters.sources.git_bounds import main_work_tree

        place = main_work_tree(place)
    return SourceLocation(str(place), ref)


def is_bare(path: Path) -> bool:
    """Holds commits and no files: `REPO.git`, and the `.git` of a work tree too."""
    inner = (path / "objects", path / "refs")
    return (path / "HEAD").is_file() and all(folder.is_dir() for folder in inner)


def open_source(
    path: Path | str, options: SourceOptions, allowed: Sequence[str] | None = ()
) -> AbstractContextManager[OpenedSource]:
    """Opened before the store is, so that a misspelt path makes none.

    A repository goes by its folder's name, a branch by that of `ref`, else `main`. Without `ref`
    files are read as they lie there; a bare repository has none, and is read at its HEAD.
    Nothing outside of `inside` is read; a repository that leads there is refused, and so is a
    `ref` that is more than a plain name. An address needs a plug-in of its scheme, from a
    distribution that is `allowed`.
    """
    address = _ADDRESS.match(path) if isinstance(path, str) else None
    if address:
        return _kind(address[1], allowed).open(str(path), options)
    if not str(path):
        raise BadInput("no path is given; for this folder write: docgraph ingest .")
    place = Path(path)
    name = options.repository
    options = replace(options, repository=default_repository(place) if name is None else name)
    if options.ref is None and is_bare(place):
        options = replace(options, ref="HEAD")
    kind: SourceKind = load_plugin(SOURCES, "folder" if options.ref is None else "git", ())
    return kind.open(str(place), options)


def _kind(scheme: str, allowed: Sequence[str] | None) -> SourceKind:
    kind: SourceKind | None = (
        None if scheme in SHIPPED[SOURCES] else load_plugin(SOURCES, scheme, allowed)
    )
    if kind is None:
        raise BadInput(
            f"no source is called {scheme}://; give a folder, a file or a git repository, "
            "or install a plug-in for it"
        )
    return kind
