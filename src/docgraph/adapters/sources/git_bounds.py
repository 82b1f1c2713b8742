"""What git reads of a repository lies below one folder, or the repository is not opened."""

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
_LARGEST = 1_000_000  # bytes of a file that tells git where to look
_SETTINGS = rb"(?i)\[include|refstorage[^\n]*[/\\]"
_ANYTHING = rb"(?s)."
# What in which file would lead git elsewhere; refused where it may, and not understood any further.
_LEADS_ELSEWHERE = {
    "config": _SETTINGS,
    "config.worktree": _SETTINGS,
    "objects/info/alternates": _ANYTHING,
    "objects/info/http-alternates": _ANYTHING,
    "reftable/tables.list": rb"/",
}


@dataclass(frozen=True, slots=True)
class GitLayout:
    """Its own folder, and the one that it shares with other work trees; often the same."""

    own: Path
    common: Path


def check_bounds(path: Path, inside: Path) -> GitLayout:
    """Looked at without git, which follows whatever it finds."""
    root = inside.resolve()
    own = _within(_found(path.resolve(), root), root)
    common = own
    if _mode(own / "commondir"):
        common = _within(_pointed(own / "commondir", rb""), root)
    for folder in dict.fromkeys((own, common)):
        _check_kinds(folder)
        for name, pattern in _LEADS_ELSEWHERE.items():
            if _mode(folder / name) and re.search(pattern, _content(folder / name)):
                raise BadInput(f"{name} of the repository leads elsewhere; {_NOT_READ}")
    return GitLayout(own, common)


def _found(path: Path, root: Path) -> Path:
    """As git looks for it, further and further up, but never above the root."""
    for folder in (path, *path.parents):
        if not folder.is_relative_to(root):
            break
        mode = _mode(folder / ".git")
        if stat.S_ISDIR(mode):
            return folder / ".git"
        if mode:
            return _pointed(folder / ".git", rb"gitdir: ")
        if all(_mode(folder / name) for name in ("HEAD", "objects", "refs")):
            return folder
    raise BadInput(f"{path}: {NO_REPOSITORY}")


def _within(place: Path, root: Path) -> Path:
    try:
        real = place.resolve()
    except (OSError, RuntimeError):
        raise BadInput(OUTSIDE) from None
    if not real.is_relative_to(root):
        raise BadInput(OUTSIDE)
    return real


def _pointed(file: Path, front: bytes) -> Path:
    """One line; whatever git might cut otherwise than we do is refused."""
    told = re.fullmatch(front + rb"([^\x00-\x1f\x7f]{1,4096})\n?", _content(file))
    if told is None:
        raise BadInput(f"{file.name} of the repository is not one plain line; {_NOT_READ}")
    return file.parent / os.fsdecode(told[1])


def _check_kinds(folder: Path) -> None:
    """Folders and files only: a link leads away, and for a pipe git would wait for ever."""
    folders = [folder]
    while folders:
        check_cancelled()
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    elif not entry.is_file(follow_symlinks=False):
                        raise _no_file(Path(entry.path).relative_to(folder))
        except FileNotFoundError:
            continue  # git tidies up now and then
        except OSError as error:
            raise BadInput(f"the repository cannot be listed: {error.strerror}") from error


def _no_file(path: Path) -> BadInput:
    what = f"{path.as_posix()!a} of the repository is a link, a pipe or the like"
    return BadInput(f"{what}; {_NOT_READ}")


def _content(file: Path) -> bytes:
    try:
        with open_plain(file) as handle:
            told = handle.read(_LARGEST + 1)
    except OSError:
        raise BadInput(f"{file.name} of the repository cannot be read; {_NOT_READ}") from None
    if len(told) > _LARGEST:
        raise BadInput(f"{file.name} of the repository is over {_LARGEST:,} bytes; {_NOT_READ}")
    return told


def _mode(path: Path) -> int:
    """What it is, without following it; 0 where there is nothing."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise BadInput(f"the repository cannot be looked at: {error.strerror}") from error
