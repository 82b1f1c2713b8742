"""What git reads of a repository lies below one folder, or the repository is not opened."""

import os
from pathlib import Path

from docgraph.adapters.sources.git_program import Git
from docgraph.model.errors import BadInput

MOST_BORROWED = 100  # object folders, each of which may name further ones


def check_bounds(path: Path, inside: Path) -> None:
    """A `.git` file, a link, or a list of borrowed objects can lead git anywhere."""
    found = Git(path).ask("rev-parse", "--absolute-git-dir", "--git-common-dir")
    if found.errors:
        return  # no repository: whoever opens it says so
    root = inside.resolve()
    own, common = (path / line for line in found.line.split("\n")[:2])
    for place in (own, common):
        _check(place, root)
        _check_links(place, root)
    _check_borrowed(common / "objects", root)


def _check(place: Path, root: Path) -> None:
    if not place.resolve().is_relative_to(root):
        raise BadInput("the repository keeps something outside of what may be read here")


def _check_links(folder: Path, root: Path) -> None:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            found = Path(place, name)
            if found.is_symlink():
                _check(found, root)


def _check_borrowed(objects: Path, root: Path) -> None:
    """`objects/info/alternates` names the object folders of other repositories, line by line."""
    folders, seen = [objects], set[Path]()
    while folders:
        folder = folders.pop().resolve()
        if folder in seen:
            continue
        seen.add(folder)
        if len(seen) > MOST_BORROWED:
            raise BadInput("the repository borrows objects of too many others")
        _check(folder, root)
        _check_links(folder, root)
        listed = folder / "info" / "alternates"
        if listed.is_file():
            lines = listed.read_bytes().decode("utf-8", "surrogateescape").splitlines()
            folders += [folder / line for line in lines if line and not line.startswith("#")]
