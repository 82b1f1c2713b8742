"""Roots: the folders below which ingestions may read. What lies elsewhere is not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from docgraph.model.errors import BadInput


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads, with every link followed, and the root that it lies below."""

    path: Path
    root: Path


class Roots:
    def __init__(self, folders: Sequence[str]) -> None:
        for folder in folders:
            if not Path(folder).is_dir():
                raise BadInput(f"serve.roots: there is no folder {folder}")
        self._roots = tuple(Path(folder).resolve() for folder in folders)

    def __bool__(self) -> bool:
        return bool(self._roots)

    def find(self, path: str) -> Place | None:
        """Below the first root that has it; None for whatever else, in the same words."""
        if not _is_plain(path):
            return None
        for root in self._roots:
            try:
                found = (root / path).resolve(strict=True)
            except (OSError, RuntimeError, ValueError):
                continue
            if found.is_relative_to(root) and _is_shown(found.relative_to(root)):
                return Place(found, root)
        return None


def _is_plain(path: str) -> bool:
    """No way up, no way to the top, on any system."""
    windows = PureWindowsPath(path)
    return (
        path.isprintable()
        and not windows.drive
        and not windows.root
        and ".." not in windows.parts
        and _is_shown(PurePosixPath(path))
    )


def _is_shown(path: PurePosixPath | Path) -> bool:
    """Hidden folders are hidden from ingests, too."""
    return not any(part.startswith(".") for part in path.parts)
