"""Which backend a store's address names, and how that address may be printed."""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from platform import node

from docgraph.model.errors import BadInput
from docgraph.model.running_ingest import Process
from docgraph.ports.indexes import IndexSettings, VectorIndexKind
from docgraph.ports.store import Backend, MigrationReport, StoreOptions, Stores
from docgraph.wiring.plugins import BACKENDS, VECTOR_INDEXES, load_plugin
from docgraph.wiring.settings import Settings


def backend_for(store: str, allowed: Sequence[str] | None = ()) -> Backend:
    """By the scheme of its address; one that is not shipped comes from an `allowed` plug-in."""
    found = _backend(store, allowed)
    if found is None:
        raise BadInput(
            f"{redacted_store(store)}: a store is the path of a SQLite file, "
            "or an address that begins with postgresql://"
        )
    return found


def _backend(store: str, allowed: Sequence[str] | None = ()) -> Backend | None:
    scheme = _scheme(store)
    backend: Backend | None = load_plugin(BACKENDS, scheme or "sqlite", allowed)
    if backend is None or (scheme is not None and scheme not in backend.schemes):
        return None
    return backend


def _scheme(store: str) -> str | None:
    """That of a path is None."""
    scheme, separator, _ = store.partition("://")
    return scheme if separator else None


def redacted_store(store: str) -> str:
    """A path as it is; an address without its password."""
    backend = _backend(store)
    return backend.redact(store) if backend else f"{_scheme(store)}://…"


def absolute_store(store: str) -> str:
    """A path that still leads there from another folder; an address as it is."""
    return store if "://" in store else str(Path(store).absolute())


def check_store_url(settings: Settings) -> Settings:
    backend_for(settings.store, settings.plugins)
    return settings


def require_store(settings: Settings) -> Settings:
    """A question to a store that does not exist is an error; it does not make a new file."""
    if not backend_for(settings.store, settings.plugins).exists(settings.store):
        raise BadInput(
            f"there is no store at {settings.store}; make one with: docgraph ingest PATH"
        )
    return settings


def open_stores(settings: Settings) -> Stores:
    backend = backend_for(settings.store, settings.plugins)
    index = index_name(settings)
    options = StoreOptions(
        now=_now,
        clock=time.time,
        wait=settings.wait,
        index=index,
        process=_process(sys.argv),
        shared_vectors=None if settings.shared_vectors is None else Path(settings.shared_vectors),
    )
    if index not in backend.indexes:
        kind = _index_kind(backend, index, settings.plugins)
        folder = None if backend.schemes else Path(f"{settings.store}.{index}")
        external = partial(kind.open, IndexSettings(folder, settings.index_settings))
        options = replace(options, external=external)
    elif settings.index_settings:
        raise BadInput(f"index_settings: the index {index!r} takes none")
    return backend.open(settings.store, options)


def _index_kind(backend: Backend, index: str, allowed: Sequence[str] | None) -> VectorIndexKind:
    """That of an installed package."""
    kind: VectorIndexKind | None = load_plugin(VECTOR_INDEXES, index, allowed)
    if kind is None:
        raise BadInput(
            f"index {index!r} is not one of this store's: {', '.join(backend.indexes)}"
            f"{'' if len(backend.indexes) > 1 else '; others are for a Postgres store'}; "
            "no plug-in has one of that name"
        )
    return kind


def index_name(settings: Settings) -> str:
    """`hnsw: true` is another way to write `index: pgvector-hnsw`."""
    if settings.hnsw and settings.index not in (None, "pgvector-hnsw"):
        raise BadInput(f"hnsw: true and index: {settings.index} do not go together; name one")
    return "pgvector-hnsw" if settings.hnsw else settings.index or "packed"


def migrate_store(settings: Settings, *, check: bool = False) -> MigrationReport:
    """With `check` nothing is changed: the report says what is pending."""
    return backend_for(settings.store, settings.plugins).migrate(settings.store, check)


def _process(words: Sequence[str]) -> Process:
    """The command alone: its arguments may hold a password."""
    name = Path(words[0]).name if words else ""
    if name not in ("docgraph", "main.py"):
        return Process(name or "python", node())
    command = words[1] if len(words) > 1 and words[1].isidentifier() else ""
    return Process(f"docgraph {command}".rstrip(), node())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
