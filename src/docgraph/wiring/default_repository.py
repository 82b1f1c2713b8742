"""What a path is called, and whether it is git's own folder."""

from pathlib import Path

from docgraph.model.errors import BadInput


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
