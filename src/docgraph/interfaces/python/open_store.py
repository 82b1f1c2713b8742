"""An opened store: its settings, and an engine that is built with the first question."""

import os
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from docgraph.interfaces.auth.principals import ReaderLike, principal_for
from docgraph.model.access import Principal
from docgraph.model.errors import BadInput
from docgraph.wiring.backends import absolute_store, check_store_url, redacted_store, require_store
from docgraph.wiring.plugins import find_action
from docgraph.wiring.settings import read_settings

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.engine.administration import Administration

Store = str | os.PathLike[str]


class OpenStore:
    """A store as its settings say. Its engine is built with the first question."""

    def __init__(self, store: Store | None = None) -> None:
        """Settings count as they are now: the environment, and docgraph.yaml of this folder."""
        named = None if store is None else os.fspath(store)
        settings = check_store_url(read_settings(os.environ, Path.cwd(), named))
        self._settings = replace(settings, store=absolute_store(settings.store))
        self._find_action = partial(find_action, allowed=settings.plugins)
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    @property
    def store(self) -> str:
        """Its path, or its address without the password."""
        return redacted_store(self._settings.store)

    def saved_store(self) -> str:
        """As a file may hold it; an address may hold a password, and is refused."""
        if self.store != self._settings.store:
            raise BadInput(
                "a store's address may hold a password, so it is not saved; "
                "leave it out, and set DOCGRAPH_STORE"
            )
        return self.store

    def close(self) -> None:
        """Releases models and files, until the next question.

        Connections to Postgres belong to the process, and stay.
        """
        with self._lock:
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    def _existing_engine(self) -> "Engine":
        """Of a store that exists; an ingest creates one."""
        require_store(self._settings)
        return self._any_engine()

    def _any_engine(self) -> "Engine":
        with self._lock:
            if self._engine is None:
                from docgraph.wiring.build import build_engine

                self._engine = build_engine(self._settings)
            return self._engine

    def _reader(self, who: ReaderLike) -> Principal:
        return principal_for(who, self._administration)

    def _administration(self) -> "Administration":
        from docgraph.wiring.build import build_administration

        return build_administration(require_store(self._settings))
