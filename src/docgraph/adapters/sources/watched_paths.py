"""Which changed paths of a folder can change what an ingest of it reads."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from docgraph.adapters.sources.folder import (
    BUILT,
    ENVIRONMENT_FILE,
    PROJECT_FILES,
    is_hidden,
    is_skipped_folder,
)

IGNORE_FILE = ".gitignore"


def read_paths(root: Path, paths: Iterable[str], store: Path | None) -> Iterator[str]:
    """Those that the folder source does not skip, and `.gitignore` files. Not the store's files."""
    own = None if store is None else str(store)
    for path in paths:
        if own is not None and path.startswith(own):
            continue
        place = PurePath(path)
        if place.is_relative_to(root) and _is_read(root, place.relative_to(root).parts):
            yield path


def _is_read(root: Path, parts: tuple[str, ...]) -> bool:
    if not parts:
        return True  # the folder itself
    if is_hidden(parts[-1]) and parts[-1] != IGNORE_FILE:
        return False
    above = root
    for name in parts[:-1]:
        beside_project = name in BUILT and any((above / one).exists() for one in PROJECT_FILES)
        above /= name
        is_environment = (above / ENVIRONMENT_FILE).exists()
        if is_skipped_folder(name, beside_project=beside_project, is_environment=is_environment):
            return False
    return True
