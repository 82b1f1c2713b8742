"""The folder that a path names, to be watched."""

from dataclasses import replace
from pathlib import Path

from docgraph.model.errors import BadInput
from docgraph.ports.watching import WatchedSource, WatchOptions
from docgraph.wiring.settings import Settings
from docgraph.wiring.sources import default_repository, is_bare


def open_watched(path: str, options: WatchOptions, settings: Settings) -> WatchedSource:
    """A repository goes by its folder's name. The store's own files are not watched."""
    from docgraph.adapters.sources.watched_folder import WatchedFolder

    if not path or "://" in path:
        raise BadInput(f"{path!r} cannot be watched: name a folder or a file of this machine")
    place = Path(path)
    if is_bare(place):
        raise BadInput(f"{path}: a bare repository has no files to watch; name a work tree")
    return WatchedFolder(
        place,
        replace(
            options,
            repository=options.repository or default_repository(place),
            store=_file_of(settings.store),
        ),
    )


def _file_of(store: str) -> Path | None:
    return None if "://" in store else Path(store).resolve()
