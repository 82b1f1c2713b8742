"""Checks that everything git reads of a repository is below one folder."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from docgraph.adapters.sources.safe_open import open_plain
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import check_cancelled

NO_REPOSITORY = (
    "not a git repository; what fits is a work tree, a folder inside one, "
    "or a bare repository such as REPO.git"
)
OUTSIDE = "the repository keeps something outside of what may be read here"
_NOT_READ = "a repository with such a thing is not read here"
_MAX_BYTES = 1_000_000  # of a file that points git to another path
# The slash may follow anywhere in the line; behind another such name it is found from there.
_SETTINGS = rb"(?i)\[include|refstorage(?:(?!refstorage)[^\n/\\])*+[/\\]"
_ANYTHING = rb"(?s)."
# By file, what could point git to another path; a match is refused without further parsing.
EXTERNAL_PATHS = {
    "config": _SETTINGS,
    "config.worktree": _SETTINGS,
    "objects/info/alternates": _ANYTHING,
    "objects/info/http-alternates": _ANYTHING,
    "reftable/tables.list": rb"/",
}


@dataclass(frozen=True, slots=True)
class GitLayout:
    """The repository's own folder, and the one shared with other work trees; often the same."""

    own: Path
    common: Path


def check_bounds(path: Path, inside: Path) -> GitLayout:
    """Checked without git, which would follow every path."""
    root = inside.resolve()
    own = _within(_find_git_folder(path.resolve(), root), root)
    common = own
    if _mode(own / "commondir"):
        common = _within(_pointer_target(own / "commondir", rb""), root)
    for folder in dict.fromkeys((own, common)):
        _check_kinds(folder)
        for name, pattern in EXTERNAL_PATHS.items():
            if _mode(folder / name) and re.search(pattern, _content(folder / name)):
                raise BadInput(f"{name} of the repository leads elsewhere; {_NOT_READ}")
    return GitLayout(own, common)


def main_work_tree(path: Path) -> Path:
    """The folder of the main work tree, or of the bare repository, that stands for this one of a
    linked work tree: both have the same commits. Other folders stand for themselves."""
    for tree in (path, *path.parents):
        mode = _mode(tree / ".git")
        if not mode:
            continue
        if not stat.S_ISREG(mode):
            return path
        own = _pointer_target(tree / ".git", rb"gitdir: ")
        if not _mode(own / "commondir"):
            return path
        common = _pointer_target(own / "commondir", rb"").resolve()
        repository = common.parent if common.name == ".git" else common
        return repository / path.relative_to(tree)
    return path


def _find_git_folder(path: Path, root: Path) -> Path:
    """As git searches: upwards from the path, but never above the root."""
    for folder in (path, *path.parents):
        if not folder.is_relative_to(root):
            break
        mode = _mode(folder / ".git")
        if stat.S_ISDIR(mode):
            return folder / ".git"
        if mode:
            return _pointer_target(folder / ".git", rb"gitdir: ")
        if all(_mode(folder / name) for name in ("HEAD", "objects", "refs")):
            return folder
    raise BadInput(f"{path}: {NO_REPOSITORY}")


def _within(path: Path, root: Path) -> Path:
    try:
        real = path.resolve()
    except (OSError, RuntimeError):
        raise BadInput(OUTSIDE) from None
    if not real.is_relative_to(root):
        raise BadInput(OUTSIDE)
    return real


def _pointer_target(file: Path, prefix: bytes) -> Path:
    """Of one plain line; anything that git could parse differently is refused."""
    match = re.fullmatch(prefix + rb"([^\x00-\x1f\x7f]{1,4096})\n?", _content(file))
    if match is None:
        raise BadInput(f"{file.name} of the repository is not one plain line; {_NOT_READ}")
    return file.parent / os.fsdecode(match[1])


def _check_kinds(folder: Path) -> None:
    """Only folders and regular files: a link may point outside, and git would block on a pipe."""
    folders = [folder]
    while folders:
        check_cancelled()
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    elif not entry.is_file(follow_symlinks=False):
                        raise _not_regular(Path(entry.path).relative_to(folder))
        except FileNotFoundError:
            continue  # git removes files at any time
        except OSError as error:
            raise BadInput(f"the repository cannot be listed: {error.strerror}") from error


def _not_regular(path: Path) -> BadInput:
    what = f"{path.as_posix()!a} of the repository is a link, a pipe or the like"
    return BadInput(f"{what}; {_NOT_READ}")


def _content(file: Path) -> bytes:
    try:
        with open_plain(file) as handle:
            data = handle.read(_MAX_BYTES + 1)
    except OSError:
        raise BadInput(f"{file.name} of the repository cannot be read; {_NOT_READ}") from None
    if len(data) > _MAX_BYTES:
        raise BadInput(f"{file.name} of the repository is over {_MAX_BYTES:,} bytes; {_NOT_READ}")
    return data


def _mode(path: Path) -> int:
    """Without following a link; 0 where there is no file."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise BadInput(f"the repository cannot be read: {error.strerror}") from error
