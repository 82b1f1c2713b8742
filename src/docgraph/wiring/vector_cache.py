"""The user's cache of vectors: its settings, and where it lies."""

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Interval, MinLen

from docgraph.model.errors import BadInput
from docgraph.wiring.model_settings import STRICT

if TYPE_CHECKING:
    from docgraph.model.question import EmbedderIdentity
    from docgraph.ports.models import VectorCache

MEBIBYTE = 2**20
_DAY = 86_400
# The variable with the folder of caches, and where it is below the home folder otherwise.
_USER_FOLDERS = {
    "linux": ("XDG_CACHE_HOME", ".cache"),
    "darwin": ("", "Library/Caches"),
    "win32": ("LOCALAPPDATA", "AppData/Local"),
}


@dataclass(frozen=True, slots=True)
class VectorCacheSettings:
    """As docgraph.yaml says them, below `vector_cache`.

    Without a `folder` it is one of the user's cache folder. `shared` is another cache's folder,
    which is only read.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    enabled: bool = True
    folder: Annotated[str, MinLen(1)] | None = None
    max_mib: Annotated[int, Interval(ge=1, le=1_048_576)] = 1_024
    shared: Annotated[str, MinLen(1)] | None = None


DEFAULT_VECTOR_CACHE = VectorCacheSettings()
NO_VECTOR_CACHE = VectorCacheSettings(enabled=False)


def vector_cache_settings(
    environment: Mapping[str, str], written: VectorCacheSettings, *, enabled: bool
) -> VectorCacheSettings:
    """With the folder that is used; without one, there is no cache."""
    given = environment.get("DOCGRAPH_VECTOR_CACHE_FOLDER") or written.folder
    folder = given or _default_folder(environment)
    return replace(written, enabled=enabled and folder is not None, folder=folder)


def _default_folder(environment: Mapping[str, str]) -> str | None:
    variable, below_home = _USER_FOLDERS.get(sys.platform, _USER_FOLDERS["linux"])
    home = environment.get("USERPROFILE" if sys.platform == "win32" else "HOME")
    base = environment.get(variable) or (str(Path(home) / below_home) if home else None)
    return str(Path(base) / "docgraph") if base else None


@contextmanager
def open_vector_cache(
    settings: VectorCacheSettings, tenant: str, embedder: "EmbedderIdentity"
) -> "Iterator[VectorCache]":
    from docgraph.ports.models import NO_VECTOR_CACHE

    if not settings.enabled or settings.folder is None:
        yield NO_VECTOR_CACHE
        return
    from docgraph.adapters.sqlite.vector_cache import SqliteVectorCache

    cache = SqliteVectorCache(
        Path(settings.folder),
        tenant,
        embedder,
        max_bytes=settings.max_mib * MEBIBYTE,
        today=lambda: int(time.time() // _DAY),
        shared=_shared(settings),
    )
    try:
        yield cache
    finally:
        cache.close()


def _shared(settings: VectorCacheSettings) -> Path | None:
    from docgraph.adapters.sqlite.vector_cache import FILE_NAME

    if settings.shared is None:
        return None
    shared = Path(settings.shared)
    if not (shared / FILE_NAME).is_file():
        raise BadInput(f"vector_cache.shared: there is no file {shared / FILE_NAME}")
    return shared


def describe_vector_cache(settings: VectorCacheSettings) -> str:
    """For `docgraph doctor`."""
    from docgraph.adapters.sqlite.vector_cache import FILE_NAME

    if not settings.enabled or settings.folder is None:
        return "off"
    file = Path(settings.folder) / FILE_NAME
    size = file.stat().st_size // MEBIBYTE if file.exists() else 0
    shared = _shared(settings)
    also = f"; reads {shared} too" if shared else ""
    return f"{file}, {size} of at most {settings.max_mib} MiB{also}"
